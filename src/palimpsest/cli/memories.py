"""``palimpsest memories``: what is remembered, current or with all it replaced."""

from __future__ import annotations

from pathlib import Path

import click

from palimpsest.cli.json_output import json_output
from palimpsest.cli.memory_tables import memory_table, plain
from palimpsest.cli.store_options import opened, store_options
from palimpsest.cli.terminal import Terminal


@click.command()
@click.option("--all", "every", is_flag=True, help="Replaced memories too.")
@click.option("--json", "json_path", metavar="FILE", help="Write JSON; - is standard output.")
@store_options
def memories(every: bool, json_path: str | None, store: Path, user: str, conversation: str) -> None:
    """List what is remembered."""
    with opened(store) as held:
        talk = held.conversation(user=user, id=conversation)
        found = [row for row in talk.visible() if every or row.superseded_by is None]
        with json_output(json_path) as write:
            write({"schema": 1, "memories": [plain(memory) for memory in found]})
        if json_path != "-":
            Terminal().print(memory_table(found) if found else "nothing is remembered yet")
