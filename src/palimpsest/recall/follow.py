"""Follows the store: what is due to be embedded, and one batch of it at a time.

A look that finds nothing changed since the last one reads two numbers. Only the process that
holds the lease embeds; the lease of one that was killed runs out. Invariant: whoever wants a
whole pass is told of one that began after the wish.
"""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from palimpsest.errors import StoreError
from palimpsest.protocols import Embedder
from palimpsest.recall.indexing import BATCH, Indexed, Pass
from palimpsest.store.vectors import Vectors as Stored

LEASE_SECONDS = 60.0
_SLOW_SECONDS = 1.0
"""A batch that takes longer is too large for a question that waits behind it."""


@dataclass(slots=True, kw_only=True, eq=False)
class Job:
    """A question, or the wish for a whole pass (``text`` is ``None``)."""

    text: str | None
    done: threading.Event = field(default_factory=threading.Event)
    result: Any = None
    error: str = ""
    dropped: bool = False

    def finish(self, result: object, error: str = "") -> None:
        """Tell whoever waits."""
        self.result, self.error = result, error
        self.done.set()


class Follow:
    """The state of indexing inside the worker's thread."""

    def __init__(self, stored: Stored, embedder: Embedder, *, loop: float) -> None:
        self._stored = stored
        self._embedder = embedder
        self._loop = loop
        self._holder = uuid.uuid4().hex
        self._batch = BATCH
        self._going: Pass | None = None
        self._wanted: list[Job] = []
        self._seen: tuple[object, ...] = ()
        self._look_at = 0.0

    def wait(self) -> float:
        """Seconds until something is due; 0 or less where it is now."""
        return 0.0 if self._going is not None else self._look_at - time.monotonic()

    def want(self, job: Job) -> None:
        """Begin a whole pass for ``job``, whatever was seen before."""
        self._wanted.append(job)
        self._seen = ()
        self._going = None
        self._look_at = 0.0

    def step(self, guarded: Callable[[Callable[[], int]], int | None]) -> None:
        """Look, or embed one batch of the pass that goes on; ``guarded`` calls the embedder."""
        try:
            going = self._going or self._begun()
            if going is None or not self._allowed(going):
                return self._pause()
            waiting = going.waiting()
            if going.done is not None:
                return self._finished(going, going.done)
            began = time.monotonic()
            if guarded(lambda: going.embed(waiting)) is None:
                return self._give_up(going)
            if time.monotonic() - began > _SLOW_SECONDS:
                self._batch = going.batch = max(1, self._batch // 2)
            self._going = going
        except StoreError:
            self._give_up(None)  # another process has been writing for long, say

    def end(self) -> None:
        """No pass comes any more: whoever wants one is told."""
        for job in self._wanted:
            job.finish(None)
        self._wanted.clear()

    def _begun(self) -> Pass | None:
        """A new pass, or ``None`` where nothing has changed since the last one."""
        changes = self._stored.changes()
        if changes == self._seen:
            return None
        self._seen = changes
        return Pass(self._stored, self._embedder, batch=self._batch)

    def _allowed(self, going: Pass) -> bool:
        mine = self._stored.claim(going.number, self._holder, LEASE_SECONDS)
        if not mine and not self._wanted:
            # Another process is at it; what it leaves is looked at again.
            self._going, self._seen = None, ()
            return False
        return True

    def _finished(self, going: Pass, done: Indexed) -> None:
        self._stored.release(going.number, self._holder)
        for job in self._wanted:
            job.finish(done)
        self._wanted.clear()
        self._pause()

    def _give_up(self, going: Pass | None) -> None:
        """Forget the pass: what it did stays, the rest is begun again."""
        if going is not None:
            self._stored.release(going.number, self._holder)
        self.end()
        self._seen = ()
        self._pause()

    def _pause(self) -> None:
        self._going = None
        self._look_at = time.monotonic() + self._loop
