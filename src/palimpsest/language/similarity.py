"""How near two texts are as statements: the plain definition of a duplicate.

The greatest of the sequence ratio (both ways, since it depends on the order), the share of
content words in common, and word-for-word containment; capped just under the threshold where
anything tells the two apart (see ``statement``).
Invariant: symmetric, 1.0 for texts that fold to one, and a pure function.
"""

from __future__ import annotations

import difflib

from palimpsest.language.statement import Statement, apart, read, respelt

CAP = 0.01
"""How far under the threshold a capped score stays."""
CONTAINED = 2
"""The fewest content words that a contained text must have."""
RUN = 3
"""The same where only the content words stand in one piece, other words between them."""


def similarity(a: str, b: str, *, threshold: float = 0.80, ratio_from: int = 40) -> float:
    """The score of two texts, from 0 to 1; at ``threshold`` and above they are one memory."""
    return score(read(a), read(b), threshold=threshold, ratio_from=ratio_from)


def score(a: Statement, b: Statement, *, threshold: float, ratio_from: int) -> float:
    """The same of texts that were read before."""
    b = respelt(a, b)
    raw = raw_score(a, b, ratio_from=ratio_from)
    return min(raw, threshold - CAP) if raw >= threshold - CAP and apart(a, b) else raw


def raw_score(a: Statement, b: Statement, *, ratio_from: int) -> float:
    """The greatest of the measures, not capped."""
    if a.flat == b.flat:
        return 1.0
    long = min(len(a.flat), len(b.flat)) >= ratio_from
    return max(ratio(a.flat, b.flat) if long else 0.0, quick_score(a, b))


def quick_score(a: Statement, b: Statement) -> float:
    """The greatest of the measures that cost little: all but the sequence ratio."""
    if a.flat == b.flat:
        return 1.0
    return 1.0 if contained(a, b) else jaccard(a.content, b.content)


def ratio(a: str, b: str) -> float:
    """The sequence ratio, the greater of both ways."""
    return max(
        difflib.SequenceMatcher(None, a, b).ratio(), difflib.SequenceMatcher(None, b, a).ratio()
    )


def jaccard(a: frozenset[str], b: frozenset[str]) -> float:
    """The share of words in common; 0 for two texts without words."""
    return len(a & b) / len(a | b) if a or b else 0.0


def contained(a: Statement, b: Statement) -> bool:
    """True where the shorter text stands word for word, in one piece, in the longer one."""
    short, long = (a, b) if len(a.flat) <= len(b.flat) else (b, a)
    if len(short.content) >= CONTAINED and f" {short.flat} " in f" {long.flat} ":
        return True
    return len(short.content) >= RUN and _run_in(short.order, long.order)


def _run_in(short: tuple[str, ...], long: tuple[str, ...]) -> bool:
    size = len(short)
    return any(long[at : at + size] == short for at in range(len(long) - size + 1))
