"""The longest run of characters that two texts have in common.

Evidence that a model wrote and that shares a long run with what it supports is the text quoting
itself: 30 characters were read off real justifications (53 for the self-citation, 13 for the
closest legitimate one). Invariant: symmetric, and blind to case and blanks.
"""

from __future__ import annotations

import difflib

from palimpsest.language.word_list import folded

SELF_CITATION = 30


def longest_run(a: str, b: str) -> int:
    """The length of the longest common run of the folded texts, in characters."""
    one, two = folded(a), folded(b)
    # Without the heuristic that skips frequent characters: it would miss long runs.
    matcher = difflib.SequenceMatcher(None, one, two, autojunk=False)
    return matcher.find_longest_match(0, len(one), 0, len(two)).size


def shares_run(a: str, b: str, least: int = SELF_CITATION) -> bool:
    """True where the texts share a run of ``least`` characters or more."""
    return longest_run(a, b) >= least
