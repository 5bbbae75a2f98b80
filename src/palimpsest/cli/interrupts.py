"""What Ctrl-C does while a chat works on a turn: it breaks what waits, never what writes.

Invariant: inside ``held`` an interruption surfaces only where ``breaking`` says so; anywhere
else it is counted and seen afterwards, so no write of a turn is cut in two.
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

    @contextmanager
    def held(self) -> Iterator[None]:
        """Take Ctrl-C over for one turn; on the main thread only, which a command line is."""
        before = signal.signal(signal.SIGINT, self._came)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    @contextmanager
    def breaking(self) -> Iterator[None]:
        """Let one Ctrl-C end the block with KeyboardInterrupt."""
        self._breaks = True
        try:
            yield
        finally:
            self._breaks = False

    def _came(self, number: int, frame: object) -> None:
        self.count += 1
        if self._breaks:
            # Only the first: what clears up after it is not broken again.
            self._breaks = False
            raise KeyboardInterrupt
