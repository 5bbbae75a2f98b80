"""The breaker: after some failures in a row nobody waits for the embedder any more.

Closed, it lets every question through. Open, it lets none through until a probe, made off
the turn, has succeeded. Invariant: an outage costs at most ``failures`` deadlines.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


class Breaker:
    """Counts failures in a row; threads may share it."""

    def __init__(
        self, *, failures: int, retry: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._failures = failures
        self._retry = retry
        self._clock = clock
        self._lock = threading.Lock()
        self._row = 0
        self._probe_at = 0.0
        self._why = ""

    @property
    def open(self) -> bool:
        """True while no question may wait for the embedder."""
        with self._lock:
            return self._row >= self._failures

    @property
    def why(self) -> str:
        """The last failure; empty after a success."""
        with self._lock:
            return self._why

    def until_probe(self) -> float:
        """Seconds until a probe is due; 0 where one is, and endless while it is closed."""
        with self._lock:
            if self._row < self._failures:
                return float("inf")
            return max(0.0, self._probe_at - self._clock())

    def failed(self, why: str) -> None:
        """Count a failure, and put the next probe off."""
        with self._lock:
            self._row += 1
            self._why = why
            self._probe_at = self._clock() + self._retry

    def succeeded(self) -> None:
        """Close it: the embedder answers."""
        with self._lock:
            self._row = 0
            self._why = ""
