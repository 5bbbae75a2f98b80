"""Finds again a conversation to which its source gives no name: by how it begins.

Held for one import and written nowhere: a digest of a forgotten text would be a copy of it for
whoever can guess. Invariant: the conversation that is meant is among those that are named.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from palimpsest.store.codec import encode
from palimpsest.store.origins import Opening
from palimpsest.types import Turn


class KnownOpenings:
    """The conversations without a name in the source, by their first turns."""

    def __init__(self, openings: Iterable[Opening]) -> None:
        self._begun: dict[int, str] = {}
        """One that begins with this turn: enough for a history of one turn."""
        self._single: defaultdict[int, list[str]] = defaultdict(list)
        self._double: defaultdict[int, list[str]] = defaultdict(list)
        self._gaps: list[str] = []
        self._number = 0
        for each in openings:
            self._number += 1
            if each.gaps:
                self._gaps.append(each.name)
            else:
                self._put(each.name, each.first, each.second)

    def add(self, name: str, turns: Sequence[Turn]) -> None:
        """One more that was stored."""
        self._put(name, *_texts(turns))

    def like(self, turns: Sequence[Turn]) -> tuple[str, ...]:
        """Those that may be a history, the beginning of it, or a longer one."""
        first, second = _texts(turns)
        found = list(self._single.get(hash(first), ()))
        if second:
            found += self._double.get(hash((first, second)), ())
        elif (begun := self._begun.get(hash(first))) and begun not in found:
            found.append(begun)
        return (*found, *self._gaps)

    def next_number(self) -> int:
        """A number that was not given yet."""
        self._number += 1
        return self._number

    def _put(self, name: str, first: str, second: str) -> None:
        self._begun.setdefault(hash(first), name)
        if second:
            self._double[hash((first, second))].append(name)
        else:
            self._single[hash(first)].append(name)


def _texts(turns: Sequence[Turn]) -> tuple[str, str]:
    """The first two turns as they are stored."""
    first = encode(turns[0].messages)
    return first, encode(turns[1].messages) if len(turns) > 1 else ""
