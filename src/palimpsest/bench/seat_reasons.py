"""Seats by reason: which pass gave them, over the requests of a suite or of a store.

Only memories that stand by themselves in a ledger are counted: seated ones, and those whose
line did not fit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from palimpsest.bench.report_schema import SCHEMA
from palimpsest.bench.run import Options, find, run_all
from palimpsest.conversation import Conversation
from palimpsest.ledger import Ledger, MemoryReason

COUNTED: tuple[MemoryReason, ...] = (
    "rule", "pinned", "global", "semantic", "lexical", "quota", "catch-up", "seated", "no-room",
)  # fmt: skip
DEFAULT_SUITE = "generated-320"


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatReasons:
    """How many seats each reason got over a number of requests."""

    name: str
    requests: int
    counts: Mapping[MemoryReason, int]

    def mean(self, reason: MemoryReason) -> float:
        """Seats a request."""
        return self.counts.get(reason, 0) / self.requests if self.requests else 0.0


def of_ledgers(name: str, ledgers: Iterable[Ledger]) -> SeatReasons:
    """Count over ledgers."""
    counts: Counter[MemoryReason] = Counter()
    requests = 0
    for ledger in ledgers:
        requests += 1
        counts.update(
            entry.reason
            for entry in ledger.memories
            if entry.first == entry.last and entry.reason in COUNTED
        )
    return SeatReasons(name=name, requests=requests, counts=dict(counts))


def of_suite(
    suite: str, strategies: tuple[str, ...], tokenizer: str | None = None
) -> tuple[SeatReasons, ...]:
    """Replay a suite and count each strategy's seats over its checkpoints."""
    options = Options(strategies=strategies, tokenizer=tokenizer, sweep=(), look_after=False)
    run = run_all([find(suite)], options)[0]
    return tuple(
        of_ledgers(key, (row.request.ledger for row in rows)) for key, rows in run.rows.items()
    )


def of_store(talk: Conversation, limit: int) -> tuple[SeatReasons, ...]:
    """Count over the newest requests that a conversation keeps, by strategy."""
    ledgers: dict[str, list[Ledger]] = {}
    for request in talk.requests(limit):
        ledgers.setdefault(request.strategy, []).append(talk.ledger(request.id))
    return tuple(of_ledgers(name, found) for name, found in ledgers.items())


def as_json(source: str, found: Iterable[SeatReasons]) -> dict[str, Any]:
    """The counts as JSON."""
    return {
        "schema": SCHEMA,
        "source": source,
        "strategies": {
            item.name: {"requests": item.requests, "seats": dict(item.counts)} for item in found
        },
    }
