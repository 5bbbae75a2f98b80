"""How the dedup scores of pairs of texts are spread, and how wide the gap at the threshold is.

Invariant: every pair counted once; a pair at the threshold or above is one memory.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from palimpsest.bench.dedup_pairs import pairs
from palimpsest.bench.report_schema import SCHEMA
from palimpsest.language.similarity import score
from palimpsest.language.statement import read
from palimpsest.settings import DedupSettings

BINS = 20
SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """Two texts and their score; ``same`` is the label, where there is one."""

    score: float
    a: str
    b: str
    same: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """The scores of many pairs around a threshold."""

    threshold: float
    pairs: int
    bins: tuple[int, ...]
    """Pairs by score, each bin 0.05 wide; the last one holds 1.0."""
    below: tuple[Scored, ...]
    """The nearest under the threshold, the nearest first."""
    above: tuple[Scored, ...]
    """The nearest at the threshold or above, the nearest first."""
    wrong: int | None
    """Pairs labelled two facts that are one memory; ``None`` without labels."""
    found: int | None
    """Pairs labelled one memory that are one."""

    @property
    def gap(self) -> float | None:
        """From the highest score under the threshold to the lowest at it or above."""
        if not self.below or not self.above:
            return None
        return self.above[0].score - self.below[0].score


def of_pairs(settings: DedupSettings) -> Spread:
    """Over the built-in labelled pairs, each scored as a pair."""
    return _spread(
        (_scored(pair.a, pair.b, settings, pair.same) for pair in pairs()), settings.threshold
    )


def of_texts(
    texts: Sequence[str], settings: DedupSettings, step: Callable[[int, int], None] | None = None
) -> Spread:
    """Over every two of some texts; ``step(text, of)`` is told of each text that is through."""
    held = [(text, read(text)) for text in texts]

    def scored() -> Iterator[Scored]:
        for at, (first, a) in enumerate(held):
            for second, b in held[at + 1 :]:
                found = score(a, b, threshold=settings.threshold, ratio_from=settings.ratio_from)
                yield Scored(score=found, a=first, b=second)
            if step is not None:
                step(at + 1, len(held))

    return _spread(scored(), settings.threshold)


def _scored(a: str, b: str, settings: DedupSettings, same: bool) -> Scored:
    found = score(
        read(a), read(b), threshold=settings.threshold, ratio_from=settings.ratio_from
    )  # fmt: skip
    return Scored(score=found, a=a, b=b, same=same)


class _Nearest:
    """The pairs nearest to the threshold, on one side of it; of equal ones the first."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, Scored]] = []
        self.many = 0

    def take(self, pair: Scored, distance: float) -> None:
        self.many += 1
        item = (-distance, -self.many, pair)
        if len(self._heap) < SHOWN:
            heapq.heappush(self._heap, item)
        else:
            heapq.heappushpop(self._heap, item)

    def pairs(self) -> tuple[Scored, ...]:
        """The nearest first."""
        return tuple(pair for _distance, _many, pair in sorted(self._heap, reverse=True))


def _spread(scored: Iterable[Scored], threshold: float) -> Spread:
    bins: Counter[int] = Counter()
    below, above = _Nearest(), _Nearest()
    labelled = wrong = found = 0
    for pair in scored:
        bins[min(BINS - 1, int(pair.score * BINS + 1e-9))] += 1
        one = pair.score >= threshold
        (above if one else below).take(pair, abs(pair.score - threshold))
        labelled += pair.same is not None
        wrong += one and pair.same is False
        found += one and pair.same is True
    return Spread(
        threshold=threshold, pairs=below.many + above.many,
        bins=tuple(bins[at] for at in range(BINS)), below=below.pairs(), above=above.pairs(),
        wrong=wrong if labelled else None, found=found if labelled else None,
    )  # fmt: skip


def as_json(source: str, spread: Spread) -> dict[str, Any]:
    """The spread as JSON."""
    return {
        "schema": SCHEMA, "source": source, "threshold": spread.threshold, "pairs": spread.pairs,
        "bins": list(spread.bins), "gap": spread.gap, "wrong": spread.wrong, "found": spread.found,
        "below": [_pair(pair) for pair in spread.below],
        "above": [_pair(pair) for pair in spread.above],
    }  # fmt: skip


def _pair(pair: Scored) -> dict[str, Any]:
    return {"score": pair.score, "a": pair.a, "b": pair.b, "same": pair.same}
