"""Finds again a conversation to which its source gives no name: by how it begins.

Held for one import and written nowhere: a digest of a forgotten text would be a copy of it for
whoever can guess. Invariant: the conversation that is meant is among those that are named.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from palimpsest.store.codec import decode
from palimpsest.store.origins import Opening
from palimpsest.types import Message, Turn

Messages = tuple[Message, ...]


class KnownOpenings:
    """The conversations without a name in the source, by their first turns."""

    def __init__(self, openings: Iterable[Opening]) -> None:
        self._begun: dict[int, str] = {}
        """One that begins with this turn, or with its first message."""
        self._single: defaultdict[int, list[str]] = defaultdict(list)
        """Those of one turn, which may be unfinished: by its first message."""
        self._double: defaultdict[int, list[str]] = defaultdict(list)
        """The others: by their first turn and the message behind it."""
        self._gaps: list[str] = []
        self._number = 0
        for each in openings:
            self._number += 1
            if each.gaps:
                self._gaps.append(each.name)
            else:
                self._put(each.name, decode(each.first), decode(each.second or "[]"))

    def add(self, name: str, turns: Sequence[Turn]) -> None:
        """One more that was stored, or that is longer than it was."""
        self._put(name, *_first_two(turns))

    def like(self, turns: Sequence[Turn]) -> tuple[str, ...]:
        """Those that may be a history, the beginning of it, or a longer one."""
        first, second = _first_two(turns)
        found = list(self._single.get(hash(first[:1]), ()))
        if second:
            found += self._double.get(hash((first, second[:1])), ())
        elif begun := self._begun.get(hash(first)):
            found.append(begun)
        return tuple(dict.fromkeys((*found, *self._gaps)))

    def next_number(self) -> int:
        """A number that was not given yet."""
        self._number += 1
        return self._number

    def _put(self, name: str, first: Messages, second: Messages) -> None:
        self._begun.setdefault(hash(first), name)
        self._begun.setdefault(hash(first[:1]), name)
        if second:
            self._double[hash((first, second[:1]))].append(name)
        else:
            self._single[hash(first[:1])].append(name)


def _first_two(turns: Sequence[Turn]) -> tuple[Messages, Messages]:
    return turns[0].messages, turns[1].messages if len(turns) > 1 else ()
