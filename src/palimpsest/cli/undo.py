"""``palimpsest undo``: takes back what a verdict added, merged or replaced."""

from __future__ import annotations

from pathlib import Path

import click

from palimpsest.cli.memory_tables import verdict_table
from palimpsest.cli.store_options import opened, store_options
from palimpsest.cli.terminal import Terminal


@click.command()
@click.argument("verdict", type=int, metavar="VERDICT")
@store_options
def undo(verdict: int, store: Path, user: str, conversation: str) -> None:
    """Take back what VERDICT did; a forget cannot be taken back."""
    with opened(store) as held:
        talk = held.conversation(user=user, id=conversation)
        Terminal().print(verdict_table([talk.undo(verdict)]))
