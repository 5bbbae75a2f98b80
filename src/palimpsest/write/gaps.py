"""A stored text that lost something, beside what a client still has of it: a pure comparison."""

from __future__ import annotations

from collections.abc import Sequence

from palimpsest.types import Redaction


def around(text: str, gaps: Sequence[Redaction]) -> list[str]:
    """The pieces of a text before, between and behind its gaps: one more than there are gaps."""
    pieces, at = [], 0
    for gap in sorted(gaps, key=lambda gap: gap.start):
        pieces.append(text[at : gap.start])
        at = gap.end
    return [*pieces, text[at:]]


def fills(pieces: Sequence[str], given: str) -> bool:
    """Whether ``given`` is the pieces in their order with anything between two of them."""
    if len(pieces) == 1:
        return given == pieces[0]
    first, *middle, last = pieces
    if not given.startswith(first):
        return False
    reached = len(first)
    for piece in middle:
        # The leftmost place of each piece leaves the most room for the next.
        found = given.find(piece, reached)
        if found < 0:
            return False
        reached = found + len(piece)
    return given.endswith(last) and len(given) - len(last) >= reached
