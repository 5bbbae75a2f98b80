"""Threads for what may wait to write: nothing that only reads waits for one of them.

Invariant: whoever waits for the writer of another process does so in a thread of these, never in
one of the event loop's own, which answer pages, lists, keys and health.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import anyio
from anyio.lowlevel import RunVar

Made = TypeVar("Made")

THREADS = 40
"""As many as an event loop has of its own; the store takes one writer at a time."""


class Threads:
    """The threads of one kind of work, counted for each event loop by itself."""

    def __init__(self, work: str) -> None:
        self._limiter: RunVar[anyio.CapacityLimiter] = RunVar(work)

    async def run(self, work: Callable[[], Made], *, leave: bool = False) -> Made:
        """What ``work`` makes; with ``leave``, who is cancelled leaves it to end by itself."""
        try:
            limiter = self._limiter.get()
        except LookupError:
            limiter = anyio.CapacityLimiter(THREADS)
            self._limiter.set(limiter)
        return await anyio.to_thread.run_sync(work, limiter=limiter, abandon_on_cancel=leave)


CHANGES = Threads("palimpsest changes")
"""What a client asks to be changed, and turns that are kept after their answer."""
REQUESTS = Threads("palimpsest requests")
"""Requests of the proxy: a history that is new is stored before one is built from it."""
