"""What one new text costs against many memories.

The plain loop reads and compares every memory, as the definition says; the index gives the
same verdict. Invariant: the two verdicts are compared before their times are.
"""

from __future__ import annotations

import random
import statistics
import time
from dataclasses import dataclass

from rich.table import Table

from palimpsest.language.similarity import score
from palimpsest.language.statement import Statement, read
from palimpsest.write.dedup import Index, Match

MEMORIES = 3_000
RATIO = 100.0
"""The index must be this many times faster than the plain loop."""
PLAIN_TEXTS, TEXTS = 3, 60
THRESHOLD, RATIO_FROM = 0.80, 40
_WHO = "sister brother dentist landlord neighbour colleague teacher mother uncle daughter".split()  # noqa: SIM905
_WHAT = "keeps paints repairs collects sells teaches borrows photographs studies grows".split()  # noqa: SIM905
_THINGS = "clocks orchids kayaks violins maps lanterns bicycles telescopes teapots kites".split()  # noqa: SIM905
_WHERE = "Porto Ghent Turin Lyon Leipzig Seville Cork Bergen Gdansk Tartu".split()  # noqa: SIM905


@dataclass(frozen=True, kw_only=True)
class DedupCost:
    """Milliseconds for one new text against the memories."""

    memories: int
    plain_ms: float
    index_ms: float
    worst_ms: float

    @property
    def ratio(self) -> float:
        """How many times faster the index is."""
        return self.plain_ms / self.index_ms


def facts(many: int) -> list[str]:
    """Made facts, each one different, of 45 to 75 characters."""
    every = [
        f"My {who} {what} {thing} in a small workshop near {where}."
        for who in _WHO for what in _WHAT for thing in _THINGS for where in _WHERE
    ]  # fmt: skip
    return random.Random(7).sample(every, many)


def measure() -> DedupCost:
    """The figures of one size."""
    told = facts(MEMORIES + TEXTS)
    held, asked = dict(enumerate(told[:MEMORIES], 1)), told[MEMORIES:]
    asked[: TEXTS // 2] = [f"well, {text.lower()}" for text in told[: TEXTS // 2]]
    index = Index(held.items(), threshold=THRESHOLD, ratio_from=RATIO_FROM)
    plain, ours = [], []
    known = {id: read(text) for id, text in held.items()}
    for place, text in enumerate(asked):
        start = time.perf_counter()
        found = index.nearest(text)
        ours.append((time.perf_counter() - start) * 1000)
        if place % (TEXTS // PLAIN_TEXTS) == 0:
            start = time.perf_counter()
            expected = _plain(read(text), known)
            plain.append((time.perf_counter() - start) * 1000)
            if expected != found:
                raise AssertionError(f"{text!r}: the loop finds {expected}, the index {found}")
    return DedupCost(
        memories=MEMORIES, plain_ms=statistics.median(plain), index_ms=statistics.median(ours),
        worst_ms=max(ours),
    )  # fmt: skip


def _plain(mine: Statement, known: dict[int, Statement]) -> Match | None:
    best = None
    for id, held in known.items():
        found = score(mine, held, threshold=THRESHOLD, ratio_from=RATIO_FROM)
        if found >= THRESHOLD and (best is None or found > best.score):
            best = Match(id=id, score=found)
    return best


def table(cost: DedupCost) -> Table:
    """The figures as a table."""
    shown = Table("one new text", title=f"against {cost.memories:,} memories")
    for name in ("ms", "worst ms"):
        shown.add_column(name, justify="right")
    shown.add_row("plain loop", f"{cost.plain_ms:,.1f}", "")
    shown.add_row("index", f"{cost.index_ms:.2f}", f"{cost.worst_ms:.2f}")
    shown.caption = f"{cost.ratio:,.0f} times faster (limit {RATIO:g}), the same verdicts"
    return shown


def over(cost: DedupCost) -> list[str]:
    """What is over the limit."""
    if cost.ratio >= RATIO:
        return []
    return [f"dedup: the index is {cost.ratio:.0f} times faster than the plain loop"]
