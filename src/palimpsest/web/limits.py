"""How much one key may send, how often, and how much at once.

Invariant: what is kept for a key is a few numbers, and what is kept at all is bounded; time
comes from a clock that a test can turn.
"""

from __future__ import annotations

import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from palimpsest.errors import TooLarge, TooMany

_KEPT = 10_000
"""Names whose allowance is remembered; whoever asked longest ago is dropped first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of a server; 0 is none."""

    body: int = 8 << 20
    """Bytes of one request."""
    upload: int = 1 << 30
    """Bytes of a file that is imported."""
    rate: float = 100.0
    """Requests of one key in a second, on average; there is none without keys."""
    at_once: int = 100
    """Requests of one key that are being answered; streams count until their last byte."""
    failures: float = 1.0
    """Wrong keys from one address in a second, on average."""


class Allowance:
    """A bucket for every name: it fills at ``rate`` up to ``burst`` and loses one a request."""

    def __init__(
        self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate, self._burst, self._clock = rate, burst, clock
        self._held: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, name: str, what: str) -> None:
        """Count one request; raises TooMany, which says when the next one may come."""
        if not self._rate:
            return
        left = self._left(name)
        self._held[name] = (left - 1 if left >= 1 else left, self._clock())
        self._held.move_to_end(name)
        if len(self._held) > _KEPT:
            self._held.popitem(last=False)
        self._check(left, what)

    def check(self, name: str, what: str) -> None:
        """The same without counting one."""
        if self._rate:
            self._check(self._left(name), what)

    def _left(self, name: str) -> float:
        now = self._clock()
        left, at = self._held.get(name, (self._burst, now))
        return min(self._burst, left + (now - at) * self._rate)

    def _check(self, left: float, what: str) -> None:
        if left < 1:
            raise TooMany(
                f"{what}: over {self._rate:g} in a second; wait as long as Retry-After says",
                seconds=(1 - left) / self._rate,
            )


class AtOnce:
    """How many requests of each name are being answered."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._running: Counter[str] = Counter()

    @contextmanager
    def one(self, name: str) -> Iterator[None]:
        """Hold a place until the answer has ended; raises TooMany."""
        if self._most and self._running[name] >= self._most:
            raise TooMany(f"{self._most} requests of this key are being answered; wait for one")
        self._running[name] += 1
        try:
            yield
        finally:
            self._running[name] -= 1
            if not self._running[name]:
                del self._running[name]


class Size:
    """Counts the bytes of one request's body."""

    def __init__(self, most: int) -> None:
        self._most, self._seen = most, 0

    def announced(self, length: str | None) -> None:
        """Refuse a length that is over the limit before a byte of it is read."""
        if length is not None and length.isascii() and length.isdigit():
            self._check(int(length[:20]))

    def add(self, count: int) -> None:
        """Count bytes that came; raises TooLarge."""
        self._seen += count
        self._check(self._seen)

    def _check(self, size: int) -> None:
        if self._most and size > self._most:
            raise TooLarge(f"the body is over {self._most:,} bytes; send less at once")
