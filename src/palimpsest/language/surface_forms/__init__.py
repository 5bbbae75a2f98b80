"""The forms in which one value may be written, and where a text holds one of them.

Identifiers, numbers, telephone numbers, addresses, dates, amounts, names and words match
across blanks, marks, case, Unicode forms, numbers in words (six languages) and scripts, and
never across a different identifier (TKT-100 and TKT-1000, a city and a dish named after it).
Invariant: pure functions of value and text; spans are in order and apart.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import anyascii

from palimpsest.language.occurrences import Span
from palimpsest.language.surface_forms.dates import dated
from palimpsest.language.surface_forms.fold import foreign, squeezed
from palimpsest.language.surface_forms.skeleton import core, skeleton
from palimpsest.language.surface_forms.text_keys import (
    ABJAD,
    KINDS,
    MOST_WORDS,
    Found,
    keys_in,
    kind_of,
)
from palimpsest.language.surface_forms.value_keys import anchors_of, keys_of

__all__ = ["MOST_WORDS", "Forms", "Found", "find", "keys_in", "keys_of", "squeezed"]


def find(value: str, text: str) -> tuple[Span, ...]:
    """Where ``text`` holds ``value`` in any of its forms, from left to right."""
    return Forms([value]).spans(text)


class Forms:
    """Many values, looked for together."""

    def __init__(self, values: Iterable[str]) -> None:
        self.values = tuple(dict.fromkeys(values))
        self.keys = frozenset(key for value in self.values for key in keys_of(value))
        self._anchors: tuple[str, ...] = tuple(
            {a for value in self.values for a in anchors_of(value, keys_of(value))}
        )
        self._kinds = frozenset(kind_of(key) for key in self.keys)
        if any(key.startswith("x>") for key in self.keys):
            self._kinds |= {"unspaced"}
        self._dated = "dates" in self._kinds
        sounds = [key.partition(":")[::2] for key in self.keys if key[0] in "xy"]
        self._abroad = tuple({core(sound) for head, sound in sounds if head == "x>"})
        self._unvoiced = any(head == "y>" for head, _ in sounds)
        self._here = tuple({core(sound) for head, sound in sounds if head == "x<"})
        self._longest = max((len(value.split()) + 4 for value in self.values), default=1)

    def __bool__(self) -> bool:
        return bool(self.keys)

    def may_hold(self, text: str) -> bool:
        """False where a quick look shows that the text holds none of the values."""
        if not self.keys:
            return False
        looked = squeezed(text)
        if any(anchor in looked for anchor in self._anchors):
            return True
        if self._dated and dated(text.lower()):
            return True
        abroad = foreign(text)
        if abroad and self._unvoiced and ABJAD.search(text):
            return True
        sounds = self._abroad if abroad else ()
        sounds = (*sounds, *self._here)
        if not sounds:
            return False
        read_out = str(anyascii.anyascii(looked)).lower() if abroad else looked
        heard = "" if "" in sounds else skeleton(read_out)
        return any(sound in heard for sound in sounds)

    def spans(self, text: str) -> tuple[Span, ...]:
        """Where the text holds one of the values."""
        if not self.may_hold(text):
            return ()
        longest = min(self._longest, MOST_WORDS)
        held = (found for found in read(text, longest, self._kinds) if found.key in self.keys)
        united: list[Span] = []
        for span in sorted(Span(found.start, found.end) for found in held):
            if united and span.start < united[-1].end:
                united[-1] = Span(united[-1].start, max(united[-1].end, span.end))
            else:
                united.append(span)
        return tuple(united)


@lru_cache(maxsize=4096)
def read(text: str, longest: int = MOST_WORDS, kinds: frozenset[str] = KINDS) -> tuple[Found, ...]:
    """The keys of a text, kept for the next value that is looked for in it."""
    return tuple(keys_in(text, longest=longest, kinds=kinds))
