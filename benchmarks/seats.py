"""What seating costs against the number of memories, and what counting the served costs.

Scores for every memory are given, as the dearest recall would give them; the columns of a
store that did not change are kept, and their first reading is shown beside.
"""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table

from palimpsest.config import Config
from palimpsest.context.ledger_json import dumps
from palimpsest.context.seat_lines import take_seats
from palimpsest.ledger import Ledger, Recall
from palimpsest.store.opening import open_store
from palimpsest.store.store import Store
from palimpsest.tokens.counter import TokenCounter
from palimpsest.tokens.local import LocalTokenizer
from palimpsest.types import Kind, Reach, Scope, Traits

SIZES = (100, 300, 1_000, 3_000, 100_000)
LIMIT_MS = {3_000: 3.0, 100_000: 80.0}
"""Selection, scores and ledger, on one core."""
DOCUMENT_MS = {100: 1.5, 1_000: 13.4, 3_000: 40.4}
"""The published scoring in pure Python."""
COUNT_AT, COUNT_LIMIT_MS, DOCUMENT_COUNT_MS = 300, 1.0, 0.36
ROUNDS = 15
SCOPE = Scope(user="u", conversation="c")
NOW = "2026-06-01T00:00:00+00:00"


@dataclass(frozen=True, kw_only=True)
class SeatCost:
    """The cost of one size, in milliseconds."""

    memories: int
    seats_ms: float
    """Selection, lines and ledger, the columns being there."""
    columns_ms: float
    """Reading all columns from the file: at the start, and after a memory was changed."""
    added_ms: float
    """Reading them after a memory was added."""
    ledger_bytes: int
    count_ms: float
    """Counting 24 served memories in a transaction of its own, durably."""


def measure(tokenizer: LocalTokenizer) -> list[SeatCost]:
    """One SeatCost a size."""
    found = []
    for size in SIZES:
        with (
            tempfile.TemporaryDirectory() as folder,
            open_store(Path(folder) / "memory.db") as store,
        ):
            _fill(store, size)
            found.append(_cost(store, size, tokenizer))
    return found


def _fill(store: Store, size: int) -> None:
    chance = random.Random(size)
    kinds: tuple[Kind, ...] = ("fact", "preference", "promise", "episode")
    reaches: tuple[Reach, ...] = ("conversation",) * 4 + ("global",)
    with store.transaction():
        for number in range(size):
            traits = Traits(
                kind=chance.choice(kinds), reach=chance.choice(reaches),
                confidence=chance.random(), pinned=chance.random() < 0.01,
            )  # fmt: skip
            store.memories.insert(
                SCOPE, text=f"Point {number} of topic {number % 97} is as agreed.", source="api",
                attribute=None, value=None, turn=None, traits=traits,
            )  # fmt: skip
        for id in range(1, size, 10):
            store.memories.supersede(SCOPE, id, by=size)


def _cost(store: Store, size: int, tokenizer: LocalTokenizer) -> SeatCost:
    chance = random.Random(size)
    recall = Recall(semantic={id: chance.random() for id in range(1, size + 1)})
    view, counter = store.view(SCOPE, recall=recall, now=NOW), TokenCounter(tokenizer)
    facts = take_seats(view, counter, Config())
    served = list(range(2, min(size, 50), 2))
    return SeatCost(
        memories=size,
        seats_ms=_median(lambda: take_seats(view, counter, Config())),
        columns_ms=_median(lambda: store.visible._columns(SCOPE)),
        added_ms=_median(lambda: store.visible.columns(SCOPE), before=lambda: _add(store)),
        ledger_bytes=len(dumps(Ledger(memories=facts.entries))),
        count_ms=_median(
            lambda: store.counting.request(SCOPE, served=served, recalled=(), degraded=False)
        ),
    )


def _add(store: Store) -> None:
    store.memories.insert(
        SCOPE, text="One more.", source="api", attribute=None, value=None, turn=None
    )


def _median(call: Callable[[], object], before: Callable[[], object] | None = None) -> float:
    times = []
    for _ in range(ROUNDS):
        if before:
            before()
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return 1e3 * statistics.median(times)


def table(costs: list[SeatCost]) -> Table:
    """The figures beside those of the document."""
    made = Table("memories", title="24 seats, with a score for every memory, and their ledger")
    for name in (
        "seats ms", "limit", "document ms", "columns from SQLite ms", "one added ms", "ledger bytes", "count ms",
    ):  # fmt: skip
        made.add_column(name, justify="right")
    for item in costs:
        limit, told = LIMIT_MS.get(item.memories), DOCUMENT_MS.get(item.memories)
        counted = f" (document {DOCUMENT_COUNT_MS})" if item.memories == COUNT_AT else ""
        made.add_row(
            f"{item.memories:,}", f"{item.seats_ms:.2f}", f"{limit:g}" if limit else "",
            f"{told:g}" if told else "", f"{item.columns_ms:.2f}", f"{item.added_ms:.2f}", f"{item.ledger_bytes:,}",
            f"{item.count_ms:.2f}{counted}",
        )  # fmt: skip
    return made


def over(costs: list[SeatCost]) -> list[str]:
    """What is above its limit, in words."""
    found = [
        f"seats: {item.seats_ms:.2f} ms of {item.memories} memories, limit {limit:g} ms"
        for item in costs
        if (limit := LIMIT_MS.get(item.memories)) is not None and item.seats_ms > limit
    ]
    return found + [
        f"counting: {item.count_ms:.2f} ms at {item.memories} memories, limit {COUNT_LIMIT_MS:g} ms"
        for item in costs
        if item.memories == COUNT_AT and item.count_ms > COUNT_LIMIT_MS
    ]
