"""The consoles that commands draw on: standard output and standard error.

Invariant: a reader that closes the pipe ends the command through ``cli.run``, which alone
knows what that means; rich would end the process with the status of a finding.
"""

from __future__ import annotations

from rich.console import Console


class Terminal(Console):
    """A console that lets a closed pipe be seen."""

    def on_broken_pipe(self) -> None:
        """Raise instead of leaving with exit status 1."""
        raise BrokenPipeError
