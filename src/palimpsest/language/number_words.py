"""Counting words of a language with their values: "two", "deux", "zwei" ... up to ten.

They are the first of the numbers that a lexicon lists. Invariant: a word has one value.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping

from palimpsest.language import lexicon
from palimpsest.language.word_list import folded

_TWO = ("two", "deux", "zwei", "dos", "due", "dois", "duas")
_EXTRA = {"pt": 1}
"""Portuguese has two words for two."""
_UP_TO_TEN = 9


@functools.cache
def number_words(code: str) -> Mapping[str, int]:
    """The words for two to ten of a language that has a lexicon."""
    held = [folded(word) for word in lexicon.load(code).numbers]
    two = next(i for i, word in enumerate(held) if word in _TWO)
    from_two = held[two + _EXTRA.get(code, 0) :][:_UP_TO_TEN]
    twos = {word: 2 for word in held if word in _TWO}
    return {**{word: i + 2 for i, word in enumerate(from_two)}, **twos}
