"""What one new text costs against many memories, and what adding facts durably costs.

The plain loop reads and compares every memory, as the definition says; the index gives the
same verdict. Invariant: the two verdicts are compared before their times are.
"""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table

from palimpsest import Memory
from palimpsest.config import Config
from palimpsest.language.similarity import score
from palimpsest.language.statement import Statement, read
from palimpsest.proposals import Extraction, Proposal, Quote, Seen
from palimpsest.write.dedup import Index, Match

MEMORIES = 3_000
RATIO = 100.0
"""The index must be this many times faster than the plain loop."""
ADDED = 1_000
PLAIN_TEXTS, TEXTS = 3, 60
THRESHOLD, RATIO_FROM = 0.80, 40
_WHO = "sister brother dentist landlord neighbour colleague teacher mother uncle daughter".split()  # noqa: SIM905
_WHAT = "keeps paints repairs collects sells teaches borrows photographs studies grows".split()  # noqa: SIM905
_THINGS = "clocks orchids kayaks violins maps lanterns bicycles telescopes teapots kites".split()  # noqa: SIM905
_WHERE = "Porto Ghent Turin Lyon Leipzig Seville Cork Bergen Gdansk Tartu".split()  # noqa: SIM905


@dataclass(frozen=True, kw_only=True)
class DedupCost:
    """Milliseconds for one new text against the memories, and seconds for adding many."""

    memories: int
    plain_ms: float
    index_ms: float
    worst_ms: float
    added: int
    kept: int
    added_s: float
    """All of them through observe and reflect, one at a time, each one durable."""

    @property
    def ratio(self) -> float:
        """How many times faster the index is."""
        return self.plain_ms / self.index_ms


class Saying:
    """An extractor that proposes the user's message as it stands."""

    name = "saying"
    trusted = False

    def extract(self, seen: Seen, config: Config) -> Extraction:
        """One proposal, the whole text."""
        text = str(seen.turn.messages[0].content)
        quote = Quote(message=0, text=0, start=0, end=len(text))
        return Extraction(proposals=(Proposal(text=text, quote=quote),))


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
    kept, seconds = _added(told[:ADDED])
    return DedupCost(
        memories=MEMORIES, plain_ms=statistics.median(plain), index_ms=statistics.median(ours),
        worst_ms=max(ours), added=ADDED, kept=kept, added_s=seconds,
    )  # fmt: skip


def _plain(mine: Statement, known: dict[int, Statement]) -> Match | None:
    best = None
    for id, held in known.items():
        found = score(mine, held, threshold=THRESHOLD, ratio_from=RATIO_FROM)
        if found >= THRESHOLD and (best is None or found > best.score):
            best = Match(id=id, score=found)
    return best


def _added(told: list[str]) -> tuple[int, float]:
    with (
        tempfile.TemporaryDirectory() as folder,
        Memory.open(Path(folder) / "memory.db") as memory,
    ):
        talk = memory.conversation(user="u", id="c")
        start = time.perf_counter()
        for text in told:
            talk.observe(user=text, assistant="Noted.")
            talk.reflect(extractor=Saying())
        return len(talk.current()), time.perf_counter() - start


def table(cost: DedupCost) -> Table:
    """The figures as a table."""
    shown = Table("one new text", title=f"against {cost.memories:,} memories")
    for name in ("ms", "worst ms"):
        shown.add_column(name, justify="right")
    shown.add_row("plain loop", f"{cost.plain_ms:,.1f}", "")
    shown.add_row("index", f"{cost.index_ms:.2f}", f"{cost.worst_ms:.2f}")
    shown.caption = (
        f"{cost.ratio:,.0f} times faster (limit {RATIO:g}); {cost.added:,} facts observed and "
        f"reflected durably in {cost.added_s:.1f} s, {cost.kept:,} kept"
    )
    return shown


def over(cost: DedupCost) -> list[str]:
    """What is over the limit."""
    if cost.ratio >= RATIO:
        return []
    return [f"dedup: the index is {cost.ratio:.0f} times faster than the plain loop"]
