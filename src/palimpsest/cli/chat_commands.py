"""The slash commands of a chat.

Invariant: a command that changes something names what it changes, and one that deletes asks
first; a name that could mean several memories shows them and changes nothing.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Sequence

from palimpsest.cli.budget_bar import budget_lines
from palimpsest.cli.chat_input import Lines
from palimpsest.cli.chat_screen import Screen, brief
from palimpsest.cli.chat_turn import Turns
from palimpsest.cli.chat_why import (
    memory_line,
    memory_lines,
    request_lines,
    text_lines,
    verdict_line,
)
from palimpsest.errors import NotFound
from palimpsest.types import Memory
from palimpsest.why import RequestReasons, of_memory, of_request
from palimpsest.why_text import matching, of_text

_SHOWN = 40
"""Memories or verdicts that a list shows."""

HELP = {
    "/why": ("[ID|TEXT|all]", "why each memory is in the last request or not; or one; or any text"),
    "/memories": ("[TEXT]", "what is remembered"),
    "/forget": ("ID|TEXT", "delete a memory and its words for good; asks first"),
    "/pin": ("ID|TEXT", "keep a memory before others"),
    "/unpin": ("ID|TEXT", "let it go again"),
    "/budget": ("", "the tokens of the last request by part"),
    "/verdicts": ("[TURN]", "what became of each proposed memory"),
    "/help": ("", "this list"),
    "/quit": ("", "leave, as Ctrl-D does"),
}
"""What each command takes and does."""


class Commands:
    """What can be typed after a slash; ``run`` is False when the chat is to end."""

    def __init__(self, turns: Turns, lines: Lines, screen: Screen) -> None:
        self._talk = turns.talk
        self._budget_of = turns.setup.budget
        self._lines = lines
        self._screen = screen
        self._known: dict[str, Callable[[str], None]] = {
            "/why": self._why, "/memories": self._memories, "/forget": self._forget,
            "/pin": self._pin, "/unpin": self._unpin, "/budget": self._budget,
            "/verdicts": self._verdicts, "/help": self._help,
        }  # fmt: skip

    def run(self, line: str) -> bool:
        """Do what a line says; a mistyped command does nothing and says so."""
        name, _, rest = line.strip().partition(" ")
        if name == "/quit":
            return False
        if name in self._known:
            self._known[name](rest.strip())
            return True
        close = difflib.get_close_matches(name.lower(), HELP, n=1, cutoff=0.5)
        hint = f"did you mean {close[0]}?" if close else "/help lists them"
        self._screen.note(
            f"no command is named {brief(name)}; {hint} (a message may begin with two slashes)",
            style="yellow",
        )
        return True

    def _help(self, _: str) -> None:
        for name, (takes, text) in HELP.items():
            self._screen.say(f"{name + ' ' + takes:<20} {text}")
        self._screen.say(f"{'//TEXT':<20} send a message that begins with a slash")
        self._screen.say("Alt-Enter breaks a line; Ctrl-C stops an answer; Ctrl-D leaves")

    def _memories(self, words: str) -> None:
        current = self._current()
        found = matching(current, words) if words else current
        for memory in found[-_SHOWN:]:
            self._screen.say(_named(memory))
        if len(found) > _SHOWN:
            more = len(found) - _SHOWN
            self._screen.say(
                f"and {more} older ones; /memories TEXT finds, palimpsest memories lists"
            )
        if not found:
            self._screen.say(
                f"no memory says {brief(words)!r}" if words else "nothing is remembered yet"
            )

    def _why(self, what: str) -> None:
        if what in ("", "all"):
            newest = self._talk.requests(1)
            if not newest:
                self._screen.say("nothing was asked yet; /why tells about the last request")
                return
            self._list(request_lines(of_request(self._talk, newest[0]), everything=what == "all"))
            return
        id = self._number(what)
        if id is not None:
            self._list(memory_lines(of_memory(self._talk, id)))
        else:
            self._text(what)

    def _text(self, what: str) -> None:
        """Tell about a text; a number that is nowhere was meant as the id of a memory."""
        found, number = of_text(self._talk, what), _bare(what)
        if number is not None and not (found.memories or found.said):
            of_memory(self._talk, number)
        self._list(text_lines(found, what))

    def _budget(self, _: str) -> None:
        newest = self._talk.requests(1)
        if not newest:
            self._screen.say("nothing was asked yet; /budget shows the last request")
            return
        found: RequestReasons = of_request(self._talk, newest[0])
        budget = self._budget_of
        lines = budget_lines(
            found.parts, limit=max(budget.input, found.request.tokens),
            tokens=found.request.tokens, answer=budget.answer, width=self._screen.out.width,
        )  # fmt: skip
        for line in lines:
            self._screen.say(line)

    def _verdicts(self, turn: str) -> None:
        number = _bare(turn)
        if turn and number is None:
            self._screen.say("/verdicts takes the number of a turn, or nothing for the newest")
            return
        found = self._talk.verdicts(turn=number)
        if not found:
            self._screen.say("nothing was proposed" + (f" at turn {number}" if turn else " yet"))
            return
        self._list(map(verdict_line, found[-_SHOWN:]))
        if len(found) > _SHOWN:
            self._screen.say(
                f"and {len(found) - _SHOWN} older ones; palimpsest verdicts lists them"
            )

    def _pin(self, what: str) -> None:
        self._pinned(what, pinned=True)

    def _unpin(self, what: str) -> None:
        self._pinned(what, pinned=False)

    def _pinned(self, what: str, *, pinned: bool) -> None:
        memory = self._one(what, "/pin" if pinned else "/unpin")
        if memory is not None:
            now = self._talk.pin(memory.id, pinned=pinned)
            self._screen.say(f"{'pinned' if pinned else 'no longer pinned'}: {_named(now)}")

    def _forget(self, what: str) -> None:
        memory = self._one(what, "/forget")
        if memory is None:
            return
        self._screen.say("this goes for good, and its words leave the whole conversation:")
        for row in self._chain(memory):
            self._screen.say(f"  {_named(row)}")
        if not self._lines.agreed("forget it? [y/N] "):
            self._screen.say("kept")
            return
        gone = self._talk.forget(id=memory.id, reason="/forget in a chat")
        self._lines.forget()
        rows = sum(deletion.rows for deletion in gone)
        before = f" and {rows - 1} that it had replaced" if rows > 1 else ""
        self._screen.say(f"forgotten: #{memory.id}{before}")

    def _chain(self, memory: Memory) -> list[Memory]:
        """A memory with all that it replaced, the newest first."""
        rows, chain = self._talk.visible(), [memory]
        for newer in chain:
            chain += [row for row in rows if row.superseded_by == newer.id]
        return chain

    def _one(self, what: str, command: str) -> Memory | None:
        """The one memory that is meant; ``None`` after saying why there is none."""
        if not what:
            self._screen.say(
                f"{command} needs the number of a memory or words of it; /memories lists"
            )
            return None
        id = self._number(what)
        if id is not None:
            row = next(iter(self._talk.visible([id])), None)
            if row is None:
                raise NotFound(f"memory #{id} was forgotten")
            return row
        found = matching(self._current(), what)
        if len(found) == 1:
            return found[0]
        for memory in found[-_SHOWN:]:
            self._screen.say(_named(memory))
        if found:
            self._screen.say(f"{len(found)} memories say that; name one: {command} ID")
        else:
            self._text(what)
        return None

    def _current(self) -> Sequence[Memory]:
        return [memory for memory in self._talk.visible() if memory.superseded_by is None]

    def _number(self, what: str) -> int | None:
        """The id that is meant: ``#12``, or ``12`` where a memory has it; else it is a text.

        Raises NotFound for a ``#12`` that no memory ever had.
        """
        number = _bare(what.removeprefix("#"))
        if number is None:
            return None
        try:
            of_memory(self._talk, number)
        except NotFound:
            if what.startswith("#"):
                raise
            return None
        return number

    def _list(self, lines: Iterable[str]) -> None:
        for line in lines:
            self._screen.say(line)


def _bare(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


def _named(memory: Memory) -> str:
    return f"#{memory.id} {memory_line(memory)}"
