"""Recall without a request: what a question brings back, by the path that the seats take.

Invariant: the scores and the selection are those of a request with the strategy ``seats``, so
each memory has the reason that it would have there. What was replaced, forgotten or has ended
is never among them, nothing is counted and nothing is kept.
"""

from __future__ import annotations

from dataclasses import dataclass

from palimpsest.config import Config
from palimpsest.context.seats import select
from palimpsest.errors import InputError
from palimpsest.ledger import MemoryReason
from palimpsest.recall.recaller import scores
from palimpsest.recall.recallers import Recallers
from palimpsest.store.store import Store
from palimpsest.types import Memory, Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class RecalledMemory:
    """One current memory that a question brings back."""

    memory: Memory
    reason: MemoryReason
    """What it would sit for in a request with this question, or why it would not."""
    semantic: float | None
    """Cosine to the question; ``None`` where its meaning is not near, or nothing embeds."""
    lexical: float | None
    """Higher is nearer; ``None`` where it shares no word with the question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """What a question brings back, the nearest first, and the rules, which always stand."""

    memories: tuple[RecalledMemory, ...]
    found: int
    """How many it brings back in all."""
    rules: tuple[Memory, ...]
    degraded: str
    """Why meaning was left out although an embedder is set; empty where it was not."""


def recalled(
    store: Store, scope: Scope, recallers: Recallers, question: str, settings: Config, *, limit: int
) -> Recalled:
    """The ``limit`` memories that are nearest to a question; raises InputError."""
    if not question.strip():
        raise InputError("question: it is blank; say what is looked for")
    if limit < 1:
        raise InputError(f"limit: {limit!r} is not a whole number from 1")
    words = question[: settings.query.characters]
    on_its_way = recallers.ask(
        words, embedder=settings.recall.embedder, prefix=settings.query.prefix
    )
    with store.reading():
        recall, view = scores(store, scope, on_its_way), store.view(scope)
        selection = select(view.candidates(), recall, settings.seats, store.now())
        nearest = [int(id) for id in selection.recalled[:limit]]
        rows = {row.id: row for row in view.rows([*nearest, *selection.rules])}
    found = tuple(
        RecalledMemory(
            memory=rows[id], reason=selection.reason(id) or "no-seat",
            semantic=recall.semantic.get(id), lexical=recall.lexical.get(id),
        )
        for id in nearest
    )  # fmt: skip
    return Recalled(
        memories=found, found=len(selection.recalled),
        rules=tuple(rows[id] for id in selection.rules), degraded=recall.degraded,
    )  # fmt: skip
