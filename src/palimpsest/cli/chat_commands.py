"""The slash commands of a chat.

Invariant: a command that changes something names what it changed; one that could mean
several memories shows them and changes nothing.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence

from palimpsest.cli.budget_bar import budget_bar
from palimpsest.cli.chat_turn import Chat
from palimpsest.language.content_words import content_words
from palimpsest.language.invisible import shown
from palimpsest.types import Memory

_SHOWN = 40
"""Memories that a list shows."""


class Commands:
    """What can be typed after a slash; ``run`` is False when the chat is to end."""

    def __init__(self, held: Chat) -> None:
        self._held = held
        self._known: dict[str, tuple[str, Callable[[str], None]]] = {
            "/memories": ("[WORDS]  what is remembered", self._memories),
            "/why": ("[ID]  why each memory is in the last request or not", self._why),
            "/budget": ("  the tokens of the last request by part", self._budget),
            "/pin": ("ID  keep a memory before others; again to let it go", self._pin),
            "/forget": ("ID|WORDS  delete a memory and its words for good", self._forget),
            "/help": ("  this list", self._help),
            "/quit": ("  leave", self._help),
        }

    def run(self, line: str) -> bool:
        """Do what a line says; a mistyped command does nothing and says so."""
        name, _, rest = line.partition(" ")
        if name == "/quit":
            return False
        if name not in self._known:
            close = difflib.get_close_matches(name, self._known, n=1)
            hint = f"; did you mean {close[0]}?" if close else "; /help lists them"
            self._say(f"no command is named {name}{hint}")
            return True
        self._known[name][1](rest.strip())
        return True

    def _help(self, _: str) -> None:
        for name, (text, _run) in self._known.items():
            self._say(f"{name} {text}")

    def _memories(self, words: str) -> None:
        found = self._matching(words) if words else self._held.talk.current()
        for memory in found[-_SHOWN:]:
            self._say(_line(memory))
        if len(found) > _SHOWN:
            self._say(f"... and {len(found) - _SHOWN} older ones; palimpsest memories lists all")
        if not found:
            self._say("nothing is remembered" + (f" with {words!r}" if words else " yet"))

    def _why(self, id: str) -> None:
        request = self._held.request
        if request is None:
            self._say("nothing was asked yet; /why tells about the last request")
            return
        texts = {memory.id: memory for memory in self._held.talk.current()}
        wanted = _number(id)
        for entry in request.ledger.memories:
            if wanted is not None and not entry.first <= wanted <= entry.last:
                continue
            place = f"#{entry.first}" + (f"-{entry.last}" if entry.last > entry.first else "")
            known = texts.get(entry.first) if entry.first == entry.last else None
            state = "in " if entry.seated else "out"
            words = f"  {shown(known.text)}" if known else ""
            self._say(f"{state} {place:>8}  {entry.reason}{words}")
        turns = [entry for entry in request.ledger.turns if not entry.kept]
        for gone in turns if wanted is None else ():
            self._say(f"out turns {gone.first}-{gone.last}  {gone.reason}")

    def _budget(self, _: str) -> None:
        request = self._held.request
        if request is None:
            self._say("nothing was asked yet; /budget shows the last request")
            return
        self._held.terminal.print(budget_bar(request, width=self._held.terminal.width - 2))

    def _pin(self, id: str) -> None:
        number = _number(id)
        if number is None:
            self._say("/pin needs the number of a memory; /memories lists them")
            return
        memory = next((m for m in self._held.talk.current() if m.id == number), None)
        pinned = self._held.talk.pin(number, pinned=not (memory and memory.pinned))
        self._say(f"{'pinned' if pinned.pinned else 'no longer pinned'}: {_line(pinned)}")

    def _forget(self, what: str) -> None:
        if not what:
            self._say("/forget needs the number of a memory, or words that only it has")
            return
        number = _number(what)
        found = () if number is not None else self._matching(what)
        if number is None and len(found) != 1:
            for memory in found[:_SHOWN]:
                self._say(_line(memory))
            several = "several memories match; name one: /forget ID" if found else ""
            self._say(several or f"no memory matches {what!r}; nothing was forgotten")
            return
        id = number if number is not None else found[0].id
        gone = self._held.talk.forget(id=id, reason="/forget in a chat")
        # A request in hand would still hold the words.
        self._held.request = None
        self._say(f"forgotten: #{id}, {sum(d.rows for d in gone)} row(s) and their words")

    def _matching(self, words: str) -> Sequence[Memory]:
        """The current memories that hold every word, or whose attribute it is."""
        wanted = content_words(words)
        return [
            memory
            for memory in self._held.talk.current()
            if memory.attribute == words
            or (wanted and wanted <= content_words(f"{memory.text} {memory.attribute or ''}"))
        ]

    def _say(self, text: str) -> None:
        self._held.terminal.print(text, markup=False, soft_wrap=True)


def _number(text: str) -> int | None:
    bare = text.strip().removeprefix("#")
    return int(bare) if bare.isascii() and bare.isdigit() else None


def _line(memory: Memory) -> str:
    marks = "".join((" pinned" * memory.pinned, " hedged" * memory.hedged))
    seen = f", seen {memory.seen}x" if memory.seen > 1 else ""
    return f"#{memory.id} ({memory.kind}, {memory.source}{seen}{marks}) {shown(memory.text)}"
