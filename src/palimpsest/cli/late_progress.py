"""A progress bar on standard error that stays away from runs that are quick.

Invariant: a standard error that is no terminal (a log, a pipe) gets nothing of it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.progress import Progress, TaskID

from palimpsest.cli.terminal import Terminal
from palimpsest.language.invisible import shown

QUIET_SECONDS = 2.0
"""A run that takes longer shows its progress."""


class Late:
    """Called with a name, a step and the number of steps; shows nothing at first."""

    def __init__(self, progress: Progress) -> None:
        self.progress = progress
        self.started = time.monotonic()
        self.tasks: dict[str, TaskID] = {}

    def __call__(self, name: str, step: int, of: int) -> None:
        if time.monotonic() - self.started < QUIET_SECONDS:
            return
        if name not in self.tasks:
            self.progress.start()
            self.tasks[name] = self.progress.add_task(shown(name), total=of)
        self.progress.update(self.tasks[name], completed=step)

    def stop(self) -> None:
        """Take the bar away, where it was shown."""
        if self.tasks:
            self.progress.stop()


@contextmanager
def late_progress() -> Iterator[Late]:
    """A bar for the work of the block."""
    console = Terminal(stderr=True)
    late = Late(Progress(console=console, transient=True, disable=not console.is_terminal))
    try:
        yield late
    finally:
        late.stop()
