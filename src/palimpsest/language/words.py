"""The words by which the published rule compares a question with a turn.

Runs of ASCII letters and digits in lower case, without a short list of stop words, and
without stemming: ``password`` and ``passwords`` are two words. A pure function.
"""

from __future__ import annotations

import re

_STOP_WORDS = (
    "a an and are as at be by did do does for from how in is it of on or our that the this to us "
    "was we what when where which who will with you"
)
ENGLISH_STOP_WORDS = frozenset(_STOP_WORDS.split())
_WORD = re.compile(r"[a-z0-9]+")


def plain_words(text: str) -> frozenset[str]:
    """The words of a text under the published rule."""
    return frozenset(_WORD.findall(text.lower())) - ENGLISH_STOP_WORDS
