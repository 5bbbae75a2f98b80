"""Finds the phrases of a list in folded text, as whole words, the longest first.

Invariant: a phrase is found only where no letter, digit or hyphen stands directly before it and
no letter or digit behind it, so "mais" holds no "mai" and "après-demain" no "demain".
"""

from __future__ import annotations

import functools

import regex

from palimpsest.language.word_list import folded


def phrases_in(flat: str, phrases: tuple[str, ...]) -> list[tuple[int, int]]:
    """The spans of the phrases in a folded text, from left to right."""
    return [match.span() for match in pattern(phrases).finditer(flat)]


@functools.lru_cache(maxsize=2_048)
def pattern(phrases: tuple[str, ...]) -> regex.Pattern[str]:
    """Any of some phrases; an empty list finds nothing."""
    longest_first = sorted({folded(phrase) for phrase in phrases}, key=lambda p: (-len(p), p))
    listed = "|".join(_of(phrase) for phrase in longest_first) or r"(?!)"
    return regex.compile(rf"(?<![\p{{L}}\p{{M}}\p{{N}}-])(?:{listed})")


def _of(phrase: str) -> str:
    # An elided word ("n'") is followed by its letters at once.
    after = "" if phrase.endswith("'") else r"(?![\p{L}\p{M}\p{N}])"
    return regex.escape(phrase, special_only=True) + after
