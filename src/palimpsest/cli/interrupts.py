"""What Ctrl-C does in a chat: it breaks what waits, never what writes.

Invariant: inside ``held`` an interruption surfaces only where ``breaking`` says so. One that
comes anywhere else is counted, and breaks the next thing that waits for the same line.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


class Interrupts:
    """Counts the Ctrl-C since the person last wrote something."""

    def __init__(self) -> None:
        self.count = 0
        self._breaks = False
        self._waits = False

    @contextmanager
    def held(self) -> Iterator[None]:
        """Take Ctrl-C over; on the main thread only, which a command line is."""
        before = signal.signal(signal.SIGINT, self._came)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def begin(self) -> None:
        """The person wrote something: what came before does not count any more."""
        self.count, self._waits = 0, False

    @contextmanager
    def breaking(self) -> Iterator[None]:
        """Let one Ctrl-C end the block with KeyboardInterrupt; one may have come before it."""
        self._breaks = True
        try:
            if self._waits:
                self._waits = False
                raise KeyboardInterrupt
            yield
        finally:
            self._breaks = False

    def _came(self, number: int, frame: object) -> None:
        self.count += 1
        if not self._breaks:
            self._waits = True
            return
        # Only the first: what clears up after it is not broken again.
        self._breaks = False
        raise KeyboardInterrupt
