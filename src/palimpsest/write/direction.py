"""Which of two wordings of one fact stands.

Invariant: the newer one, unless it is poorer: it says fewer things, or lacks a carrier.
"""

from __future__ import annotations

from palimpsest.language.content_words import content_words
from palimpsest.language.fact_tokens import carrier_tokens


def keeps(old: str, new: str) -> bool:
    """True where the older wording stands."""
    before, after = content_words(old), content_words(new)
    return len(after) < len(before) or not carrier_tokens(old) <= carrier_tokens(new)
