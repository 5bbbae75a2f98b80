"""The plans of forgets that wait for a yes, each under a token that nobody can guess.

Invariant: a token works once, for a limited time, and stands for the seal of what was shown;
what would take anything else is refused. Plans live in this process only and are dropped when
their time is over, since they hold the words that they were asked with.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from palimpsest.errors import NotFound

SECONDS = 600.0
"""How long a token works."""
MOST = 32
"""Plans that wait at once; the oldest gives way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """What a token stands for: how the forget was named, and the seal of its plan."""

    id: int | None
    attribute: str | None
    description: str | None
    value: str | None
    seal: str


class Plans:
    """The waiting plans of one server; threads may share it."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._held: dict[str, tuple[float, Waiting]] = {}

    def keep(self, plan: Waiting) -> str:
        """Let a plan wait; returns its token."""
        token = secrets.token_urlsafe(18)
        with self._lock:
            self._drop_ended()
            while len(self._held) >= MOST:
                self._held.pop(next(iter(self._held)))
            self._held[token] = (self._clock() + SECONDS, plan)
        return token

    def take(self, token: str) -> Waiting:
        """The plan of a token, which works no more after it; raises NotFound."""
        with self._lock:
            self._drop_ended()
            _, plan = self._held.pop(token, (0.0, None))
        if plan is None:
            raise NotFound(
                f"token: it is not one that waits (each works once, for {SECONDS / 60:.0f} minutes, "
                "in the server that gave it); call plan_forget again"
            )
        return plan

    def _drop_ended(self) -> None:
        now = self._clock()
        for token in [token for token, (end, _) in self._held.items() if end <= now]:
            del self._held[token]
