"""Word lists as patterns: whole words, any case, whatever the blanks and apostrophes.

Invariant: a listed phrase is found only where no letter or digit stands directly beside it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

APOSTROPHE = "['\u2019]"


def any_of(phrases: Sequence[str]) -> re.Pattern[str]:
    """Finds any of some phrases as whole words; an empty list finds nothing."""
    longest_first = sorted(set(phrases), key=len, reverse=True)
    return re.compile("|".join(map(phrase, longest_first)) or r"(?!)", re.IGNORECASE)


def phrase(text: str) -> str:
    """The pattern text of one phrase of whole words."""
    inner = r"\s+".join(word(piece) for piece in text.split())
    before = r"(?<!\w)" if text[0].isalnum() else ""
    after = r"(?!\w)" if text[-1].isalnum() else ""
    return f"{before}{inner}{after}"


def word(text: str) -> str:
    """One word literally, with either apostrophe; ``*`` is any ending."""
    return re.escape(text).replace(r"\*", r"\w+").replace("'", APOSTROPHE)
