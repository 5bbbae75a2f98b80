"""Where the lines of a chat come from: a person's terminal, or a pipe.

Invariant: what a person pastes is one message, however many lines it has; nothing that was
typed is written to a file, since a forget must reach all there is.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

from palimpsest.cli.chat_screen import Screen
from palimpsest.cli.interrupts import Interrupts

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
    from prompt_toolkit.output import Output

_PROMPT = "you> "
_YES = ("y", "yes")


class Lines(Protocol):
    """One message at a time; EOFError at the end, KeyboardInterrupt for Ctrl-C."""

    def read(self, before: str = "") -> str:
        """The next message; ``before`` stands in the line already, to be changed or sent."""
        ...

    def agreed(self, question: str) -> bool:
        """True only for a plain yes."""
        ...

    def forget(self) -> None:
        """Drop what was kept of earlier lines."""
        ...


def lines(
    screen: Screen,
    stop: Interrupts,
    *,
    earlier: Callable[[], Iterable[str]],
    commands: Sequence[str],
) -> Lines:
    """A person's terminal where standard input is one, else the lines of the pipe."""
    return Typed(earlier, commands) if typed() else Piped(screen, stop)


def typed() -> bool:
    """True where a person is at the terminal; a process may have no standard input at all."""
    return sys.stdin is not None and sys.stdin.isatty()


class Piped:
    """Standard input, line by line; without prompts."""

    def __init__(self, screen: Screen, stop: Interrupts) -> None:
        self._screen = screen
        self._stop = stop

    def read(self, before: str = "") -> str:
        """The next line."""
        line = self._line()
        if not line:
            raise EOFError
        return line.removesuffix("\n").removesuffix("\r")

    def agreed(self, question: str) -> bool:
        """The next line answers; its end is a no."""
        self._screen.note(question)
        return self._line().strip().lower() in _YES

    def forget(self) -> None:
        """Nothing was kept."""

    def _line(self) -> str:
        with self._stop.breaking():
            return "" if sys.stdin is None else sys.stdin.readline()


class Typed:
    """A line that can be edited, with the earlier messages behind the arrow keys."""

    def __init__(self, earlier: Callable[[], Iterable[str]], commands: Sequence[str]) -> None:
        self._earlier = earlier
        self._commands = commands
        self._session: PromptSession[str] | None = None

    def read(self, before: str = "") -> str:
        """The next message; Alt-Enter breaks a line in it."""
        if self._session is None:
            self._session = self._opened()
        return self._session.prompt(_PROMPT, default=before)

    def agreed(self, question: str) -> bool:
        """Ctrl-C and Ctrl-D are a no."""
        from prompt_toolkit import PromptSession

        try:
            asked: PromptSession[str] = PromptSession(output=_output())
            return asked.prompt(question).strip().lower() in _YES
        except (EOFError, KeyboardInterrupt):
            return False

    def forget(self) -> None:
        """The next line reads the earlier messages anew, from the store."""
        self._session = None

    def _opened(self) -> PromptSession[str]:
        from prompt_toolkit import PromptSession
        from prompt_toolkit.completion import WordCompleter
        from prompt_toolkit.history import InMemoryHistory
        from prompt_toolkit.shortcuts import CompleteStyle

        return PromptSession(
            output=_output(),
            history=InMemoryHistory(list(self._earlier())),
            completer=WordCompleter(list(self._commands), sentence=True),
            complete_style=CompleteStyle.READLINE_LIKE,
            complete_while_typing=False,
            prompt_continuation=" " * len(_PROMPT),
            key_bindings=_keys(),
            enable_suspend=True,
        )


def _output() -> Output | None:
    """The terminal, also where standard output is a file; ``None`` for one without a cursor."""
    from prompt_toolkit.output import create_output
    from prompt_toolkit.output.vt100 import Vt100_Output
    from prompt_toolkit.utils import is_dumb_terminal

    if is_dumb_terminal():
        return None
    found = create_output(always_prefer_tty=True)
    if isinstance(found, Vt100_Output):
        # Only menus need to know where the cursor is, and not every terminal answers.
        found.enable_cpr = False
    return found


def _keys() -> KeyBindings:
    from prompt_toolkit.key_binding import KeyBindings

    keys = KeyBindings()

    @keys.add("escape", "enter")
    def break_line(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    @keys.add("c-c")
    def drop_line(event: KeyPressEvent) -> None:
        # With words in the line only the line goes, and the up arrow has it.
        if event.current_buffer.text:
            event.current_buffer.reset(append_to_history=True)
        else:
            event.app.exit(exception=KeyboardInterrupt, style="class:aborting")

    return keys
