"""``palimpsest pin``: marks a memory as coming before others; ``unpin`` takes the mark away."""

from __future__ import annotations

from pathlib import Path

import click

from palimpsest.cli.memory_tables import memory_table
from palimpsest.cli.store_options import opened, store_options
from palimpsest.cli.terminal import Terminal


class MemoryId(click.ParamType[int]):
    """The id of a memory as the tables show it: ``#12``, or ``12``."""

    name = "memory"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> int:
        number = str(value).removeprefix("#")
        if not (number.isascii() and number.isdigit() and len(number) < 19):
            self.fail(f"{value!r} is not the id of a memory; 'palimpsest memories' lists them")
        return int(number)


@click.command()
@click.argument("memory", type=MemoryId(), metavar="MEMORY")
@store_options
def pin(memory: int, store: Path, user: str, conversation: str) -> None:
    """Let MEMORY (such as #12) come before others in every request."""
    mark(memory, store, user, conversation, pinned=True)


def mark(memory: int, store: Path, user: str, conversation: str, *, pinned: bool) -> None:
    """Set or take the mark, and show the memory as it stands then."""
    with opened(store) as held:
        talk = held.conversation(user=user, id=conversation)
        Terminal().print(memory_table([talk.pin(memory, pinned=pinned)]))
