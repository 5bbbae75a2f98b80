"""Finds the phrases of a list in folded text, as whole words, the longest first.

Invariant: a phrase is found only where no letter, digit or hyphen stands directly before it and
no letter or digit behind it, so "mais" holds no "mai" and "après-demain" no "demain".
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable

import regex

from palimpsest.language.word_list import folded


def phrases_in(flat: str, phrases: tuple[str, ...]) -> list[tuple[int, int]]:
    """The spans of the phrases in a folded text, from left to right."""
    return [match.span() for match in pattern(phrases).finditer(flat)]


@functools.lru_cache(maxsize=2_048)
def pattern(phrases: tuple[str, ...]) -> regex.Pattern[str]:
    """Any of some phrases; an empty list finds nothing."""
    longest_first = sorted({folded(phrase) for phrase in phrases}, key=lambda p: (-len(p), p))
    # One look behind a run of phrases: written behind each of thousands it is slow to compile.
    runs = (_any(elided, run) for elided, run in itertools.groupby(longest_first, _is_elided))
    return regex.compile(rf"(?<![\p{{L}}\p{{M}}\p{{N}}-])(?:{'|'.join(runs) or r'(?!)'})")


def _is_elided(phrase: str) -> bool:
    """True for a word ("n'") that is followed by its letters at once."""
    return phrase.endswith("'")


def _any(elided: bool, run: Iterable[str]) -> str:
    listed = "|".join(regex.escape(phrase, special_only=True) for phrase in run)
    return listed if elided else rf"(?:{listed})(?![\p{{L}}\p{{M}}\p{{N}}])"
