"""One pass of the index: embeds the current memories that have no vector, batch by batch.

A batch is embedded outside any transaction and written in one short one. Invariant: killed
between any two instructions, what is stored is right, and the next pass goes on from there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from palimpsest.protocols import Embedder, Vectors
from palimpsest.recall import checked
from palimpsest.store.vectors import Missing
from palimpsest.store.vectors import Vectors as Stored

PROBE = "Is anybody there?"
"""What an embedder that failed is asked before it is trusted again."""

BATCH = 16
"""Texts a batch: a question that comes in between waits for one batch at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexed:
    """What a pass did."""

    embedded: int
    refused: int
    """Memories that the embedder gave no vector for, though it gave one for others."""
    complete: bool
    """True where the embedder serves."""


class Pass:
    """Goes through what is missing once, from the oldest conversation to the newest."""

    def __init__(self, stored: Stored, embedder: Embedder, *, batch: int = BATCH) -> None:
        self._stored = stored
        self._embedder = embedder
        self.batch = batch
        self.done: Indexed | None = None
        self._after = (0, 0)
        self._embedded = self._refused = 0
        self.number = stored.enrol(embedder.name, embedder.dimensions)

    def waiting(self) -> tuple[Missing, ...]:
        """The next batch; empty once nothing is left, and then ``done`` is set."""
        found = self._stored.missing(self.number, after=self._after, limit=self.batch)
        if not found:
            complete = self._stored.finish(self.number, refused=self._refused)
            self.done = Indexed(embedded=self._embedded, refused=self._refused, complete=complete)
        return found

    def embed(self, waiting: Sequence[Missing]) -> int:
        """Embed and write one batch; how many memories were embedded so far.

        Raises what the embedder raises when it fails for a text that is no memory, too.
        """
        made, vectors = self._embed(waiting)
        self._embedded += self._stored.put(self.number, made, vectors)
        self._refused += len(waiting) - len(made)
        self._after = (waiting[-1].key, waiting[-1].id)
        return self._embedded

    def run(self, step: Callable[[int], None] = lambda done: None) -> Indexed:
        """Every batch; ``step`` is told how many memories were embedded so far."""
        while waiting := self.waiting():
            step(self.embed(waiting))
        assert self.done is not None
        return self.done

    def _embed(self, waiting: Sequence[Missing]) -> tuple[Sequence[Missing], Vectors]:
        try:
            return waiting, checked.passages(self._embedder, [item.text for item in waiting])
        except Exception:  # noqa: BLE001 - a plug-in may raise anything
            # One text that it cannot read must not keep the others from it; an embedder that
            # is out refuses the probe as well, and its error is the caller's.
            checked.query(self._embedder, PROBE)
        kept = [found for item in waiting if (found := self._alone(item)) is not None]
        vectors = np.zeros((len(kept), self._embedder.dimensions), dtype=np.float32)
        for place, (_, vector) in enumerate(kept):
            vectors[place] = vector
        return [item for item, _ in kept], vectors

    def _alone(self, item: Missing) -> tuple[Missing, Vectors] | None:
        try:
            return item, checked.passages(self._embedder, [item.text])[0]
        except Exception:  # noqa: BLE001 - a plug-in may raise anything
            return None
