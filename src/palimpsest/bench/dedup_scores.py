"""How the dedup scores of pairs of texts are spread, and how wide the gap at the threshold is.

Invariant: every pair counted once; a pair at the threshold or above is one memory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
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
        [_scored(pair.a, pair.b, settings, pair.same) for pair in pairs()], settings.threshold
    )


def of_texts(texts: Sequence[str], settings: DedupSettings) -> Spread:
    """Over every two of some texts."""
    held = [(text, read(text)) for text in texts]
    scored = (
        Scored(
            score=score(
                a, b, threshold=settings.threshold, ratio_from=settings.ratio_from
            ), a=first, b=second,
        )
        for (first, a), (second, b) in combinations(held, 2)
    )  # fmt: skip
    return _spread(scored, settings.threshold)


def _scored(a: str, b: str, settings: DedupSettings, same: bool) -> Scored:
    found = score(
        read(a), read(b), threshold=settings.threshold, ratio_from=settings.ratio_from
    )  # fmt: skip
    return Scored(score=found, a=a, b=b, same=same)


def _spread(scored: Iterable[Scored], threshold: float) -> Spread:
    bins: Counter[int] = Counter()
    below: list[Scored] = []
    above: list[Scored] = []
    for pair in scored:
        bins[min(BINS - 1, int(pair.score * BINS + 1e-9))] += 1
        (above if pair.score >= threshold else below).append(pair)
    labelled = [pair for pair in (*below, *above) if pair.same is not None]
    below.sort(key=lambda pair: -pair.score)
    above.sort(key=lambda pair: pair.score)
    return Spread(
        threshold=threshold, pairs=len(below) + len(above),
        bins=tuple(bins[at] for at in range(BINS)),
        below=tuple(below[:SHOWN]), above=tuple(above[:SHOWN]),
        wrong=sum(pair.same is False for pair in above) if labelled else None,
        found=sum(pair.same is True for pair in above) if labelled else None,
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
