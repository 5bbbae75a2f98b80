"""One ranking of what a query brings back in several namespaces.

By words and by meaning, each place counts 1 / (60 + its rank), as the engine ranks one
conversation. Invariant: 1.0 is first in both, and a score is comparable within one search only.
"""

from __future__ import annotations

from collections.abc import Sequence

from palimpsest.integrations.langchain.items import Namespace
from palimpsest.recalling import Recalled

_EVEN = 60
_BEST = 2 / (_EVEN + 1)
Place = tuple[Namespace, int]
"""A namespace and the id of a memory in it."""


def ranked(found: Sequence[tuple[Namespace, Recalled]]) -> dict[Place, float]:
    """The score of everything that was brought back."""
    meant: list[tuple[float, Place]] = []
    worded: list[tuple[float, Place]] = []
    for space, recalled in found:
        for each in recalled.memories:
            place = (space, each.memory.id)
            if each.semantic is not None:
                meant.append((each.semantic, place))
            if each.lexical is not None:
                worded.append((each.lexical, place))
    scores: dict[Place, float] = {}
    for ranking in (meant, worded):
        ranking.sort(key=lambda each: (-each[0], -each[1][1]))
        for rank, (_, place) in enumerate(ranking, start=_EVEN + 1):
            scores[place] = scores.get(place, 0.0) + 1 / rank / _BEST
    return scores
