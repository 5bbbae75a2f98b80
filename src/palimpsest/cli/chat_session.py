"""The loop of a chat: a line, what it asks for, and the next line.

Invariant: no fault of one message ends the chat, and the words of a message that got no
answer are given back.
"""

from __future__ import annotations

from palimpsest.cli.chat_commands import Commands
from palimpsest.cli.chat_input import Lines, typed
from palimpsest.cli.chat_screen import Screen
from palimpsest.cli.chat_turn import Turns
from palimpsest.cli.interrupts import Interrupts
from palimpsest.errors import PalimpsestError

_REFILLED = 1000
"""Characters that are put back into the line; a longer message would fill the screen."""


class Session:
    """One run of a chat; Ctrl-C twice without a line in between ends it with an interrupt."""

    def __init__(self, turns: Turns, lines: Lines, screen: Screen, stop: Interrupts) -> None:
        self._turns = turns
        self._lines = lines
        self._screen = screen
        self._stop = stop
        self._commands = Commands(turns, lines, screen)
        self._open = True
        self._whole = True
        self._back = ""

    def run(self) -> bool:
        """Until the input ends; False where a message of a pipe got no answer."""
        with self._stop.held():
            self._turns.remember()
            while self._open:
                line = self._next()
                if line.strip():
                    self._do(line)
                    self._leave_if_asked()
        return self._whole

    def _next(self) -> str:
        before, self._back = self._back, ""
        try:
            line = self._lines.read(before)
            if line.strip():
                self._stop.begin()
            return line
        except EOFError:
            self._open = False
        except KeyboardInterrupt:
            self._stop.count += 1
            self._leave_if_asked()
            self._screen.note("Ctrl-C once more leaves, and so does Ctrl-D")
        return ""

    def _leave_if_asked(self) -> None:
        """A person confirms an interrupt by a second one; a pipe cannot."""
        if self._stop.count > (1 if typed() else 0):
            raise KeyboardInterrupt

    def _do(self, line: str) -> None:
        try:
            if _is_command(line):
                self._open = self._commands.run(line)
            else:
                self._say(line)
        except PalimpsestError as error:
            self._screen.error(error)
        if self._turns.forgot:
            self._lines.forget()
            self._turns.forgot = False

    def _say(self, line: str) -> None:
        answered = False
        try:
            answered = self._turns.say(line.rstrip()[line.startswith("//") :])
        except PalimpsestError as error:
            self._screen.error(error)
        if not answered:
            self._give_back(line)

    def _give_back(self, line: str) -> None:
        if not typed():
            self._whole = False
        elif len(line) <= _REFILLED:
            self._back = line
            self._screen.note("your words are in the line again: Enter sends them")
        else:
            self._screen.note("the up arrow brings your words back")


def _is_command(line: str) -> bool:
    """A slash and a word; a path, or two slashes, begins a message."""
    first = line.split(maxsplit=1)[0]
    return first.startswith("/") and "/" not in first[1:]
