"""``palimpsest unpin``: takes away what ``pin`` marked."""

from __future__ import annotations

from pathlib import Path

import click

from palimpsest.cli.pin import MemoryId, mark
from palimpsest.cli.store_options import store_options


@click.command()
@click.argument("memory", type=MemoryId(), metavar="MEMORY")
@store_options
def unpin(memory: int, store: Path, user: str, conversation: str) -> None:
    """Let MEMORY (such as #12) take its turn with the others again."""
    mark(memory, store, user, conversation, pinned=False)
