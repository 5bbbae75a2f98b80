"""Recall for one question: scores by words always, by meaning where they come in time.

``ask`` is called before the store is read, ``scores`` inside one reading. Invariant: neither
raises for what an embedder does; where there are no scores by meaning although an embedder is
set, the result says why.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from palimpsest.errors import ModelError
from palimpsest.ledger import Recall
from palimpsest.protocols import Embedder, Vectors
from palimpsest.recall import checked
from palimpsest.recall.indexing import Indexed, Pass
from palimpsest.recall.worker import Worker
from palimpsest.settings import RecallSettings
from palimpsest.store.store import Store
from palimpsest.store.vectors import Late
from palimpsest.types import Scope

UNFINISHED = "its vectors are still being made"
UNREAD = "its vectors could not be read in time"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Asked:
    """A question on its way: its vector, or why there is none, and its deadline."""

    words: str
    embedder: Embedder | None = None
    """``None`` where no embedder is set: then words alone are looked for."""
    vector: Vectors | None = None
    why: str = ""
    until: float | None = None
    """Monotonic seconds."""


class Recaller(Protocol):
    """Embeds questions and keeps the index that they are compared with."""

    embedder: Embedder

    def ask(self, words: str, *, prefix: str = "") -> Asked: ...

    def index(self) -> Indexed | None: ...

    def nudge(self) -> None: ...

    def close(self) -> None: ...


def scores(store: Store, scope: Scope, asked: Asked) -> Recall:
    """The scores of a scope's memories for a question; inside ``Store.reading``."""
    lexical = store.lexical.search(scope, asked.words)
    embedder = asked.embedder
    if embedder is None:
        return Recall(lexical=lexical)
    if asked.vector is None:
        return Recall(lexical=lexical, degraded=asked.why)
    number = store.vectors.number(embedder.name, embedder.dimensions)
    if number is None or not store.vectors.complete(number):
        return Recall(lexical=lexical, degraded=f"{embedder.name}: {UNFINISHED}")
    try:
        semantic = store.vectors.search(
            scope, number, asked.vector, threshold=embedder.threshold, until=asked.until
        )
    except Late:
        return Recall(lexical=lexical, degraded=f"{embedder.name}: {UNREAD}")
    return Recall(lexical=lexical, semantic=semantic)


class Background:
    """A recaller whose embedder lives in a thread of its own: what a running chat has."""

    def __init__(self, store: Store, embedder: Embedder, settings: RecallSettings) -> None:
        self.embedder = embedder
        self._settings = settings
        self.worker = Worker(store, embedder, settings)

    def ask(self, words: str, *, prefix: str = "") -> Asked:
        """Embed the question, by the deadline or not at all."""
        until = time.monotonic() + self._settings.deadline
        vector, why = self.worker.ask(prefix + words, until)
        return Asked(words=words, embedder=self.embedder, vector=vector, why=why, until=until)

    def index(self) -> Indexed | None:
        """Embed all that is missing now; ``None`` where the embedder failed."""
        return self.worker.index()

    def nudge(self) -> None:
        """Something was written."""
        self.worker.nudge()

    def close(self) -> None:
        """End the thread."""
        self.worker.close()


class Inline:
    """A recaller without a thread or a clock: it indexes before each question.

    For a replay, whose requests must come out the same every time; errors are raised.
    """

    def __init__(self, store: Store, embedder: Embedder) -> None:
        self.embedder = embedder
        self._store = store

    def ask(self, words: str, *, prefix: str = "") -> Asked:
        """Bring the index up to date and embed the question."""
        self.index()
        try:
            vector = checked.query(self.embedder, prefix + words)
        except checked.Unusable as error:
            raise ModelError(str(error)) from None
        return Asked(words=words, embedder=self.embedder, vector=vector)

    def index(self, step: Callable[[int], None] = lambda done: None) -> Indexed:
        """Embed all that is missing now; ``step`` is told how much of it is done."""
        try:
            return Pass(self._store.vectors, self.embedder).run(step)
        except checked.Unusable as error:
            raise ModelError(str(error)) from None

    def nudge(self) -> None:
        """Nothing: the next question looks."""

    def close(self) -> None:
        """Nothing is open."""
