"""How near two texts are as statements: the plain definition of a duplicate.

The greatest of the sequence ratio (both ways, since it depends on the order), the share of
content words in common, and word-for-word containment; capped just under the threshold where
the carrier tokens differ, and where each side says a word that the other does not.
Invariant: symmetric, 1.0 for texts that fold to one, and a pure function.
"""

from __future__ import annotations

import difflib
from typing import NamedTuple

from palimpsest.language.content_words import content_words
from palimpsest.language.contractions import written_out
from palimpsest.language.fact_tokens import carrier_tokens
from palimpsest.language.word_list import folded, word_list

CAP = 0.01
"""How far under the threshold a capped score stays."""
_SPELT_ALIKE = 0.75
"""At this ratio a word is the other one mistyped: "adress", "address"."""
_CONTAINED = 2
"""The fewest content words that a contained text must have."""


class Read(NamedTuple):
    """A text with all that comparing it needs."""

    flat: str
    """Its words in their order, one blank between them."""
    content: frozenset[str]
    carriers: frozenset[str]


def read(text: str) -> Read:
    """What ``score`` compares."""
    flat = " ".join(word_list(written_out(folded(text)))) or folded(text)
    return Read(flat, content_words(text), carrier_tokens(text))


def similarity(a: str, b: str, *, threshold: float = 0.80, ratio_from: int = 40) -> float:
    """The score of two texts, from 0 to 1; at ``threshold`` and above they are one memory."""
    return score(read(a), read(b), threshold=threshold, ratio_from=ratio_from)


def score(a: Read, b: Read, *, threshold: float, ratio_from: int) -> float:
    """The same of texts that were read before."""
    if a.flat == b.flat and a.carriers == b.carriers:
        return 1.0
    raw = raw_score(a, b, ratio_from=ratio_from)
    return raw if same_carriers(a, b) else min(raw, threshold - CAP)


def raw_score(a: Read, b: Read, *, ratio_from: int) -> float:
    """The greatest of the three measures, not capped."""
    return max(
        ratio(a.flat, b.flat) if min(len(a.flat), len(b.flat)) >= ratio_from else 0.0,
        jaccard(a.content, b.content),
        1.0 if contained(a, b) else 0.0,
    )


def ratio(a: str, b: str) -> float:
    """The sequence ratio, the greater of both ways."""
    return max(
        difflib.SequenceMatcher(None, a, b).ratio(), difflib.SequenceMatcher(None, b, a).ratio()
    )


def jaccard(a: frozenset[str], b: frozenset[str]) -> float:
    """The share of words in common; 0 for two texts without words."""
    return len(a & b) / len(a | b) if a or b else 0.0


def contained(a: Read, b: Read) -> bool:
    """True where the shorter text stands word for word, in one piece, in the longer one."""
    short, long = (a, b) if len(a.flat) <= len(b.flat) else (b, a)
    return len(short.content) >= _CONTAINED and f" {short.flat} " in f" {long.flat} "


def same_carriers(a: Read, b: Read) -> bool:
    """True where nothing that may be the fact itself tells the two apart."""
    return a.carriers == b.carriers and not _each_has_own(
        a.content - b.content, b.content - a.content
    )


def _each_has_own(mine: frozenset[str], yours: frozenset[str]) -> bool:
    """True where each side says something that the other does not, mistypings apart."""
    if not mine or not yours:
        return False
    unlike = [w for w in mine if not any(_spelt_alike(w, other) for other in yours)]
    return bool(unlike) and any(not any(_spelt_alike(w, other) for other in mine) for w in yours)


def _spelt_alike(a: str, b: str) -> bool:
    if min(len(a), len(b)) < 5:
        return False
    first, second = sorted((a, b))
    return difflib.SequenceMatcher(None, first, second).ratio() >= _SPELT_ALIKE
