"""``palimpsest observe``: stores one exchange; it waits to be read for what to remember."""

from __future__ import annotations

from pathlib import Path

import click

from palimpsest.cli.store_options import opened, store_options
from palimpsest.cli.terminal import Terminal


@click.command()
@click.argument("said", metavar="USER")
@click.argument("answer", metavar="[ASSISTANT]", required=False)
@store_options
def observe(said: str, answer: str | None, store: Path, user: str, conversation: str) -> None:
    """Store what the user said and, where given, what was answered."""
    with opened(store, make=True) as held:
        talk = held.conversation(user=user, id=conversation)
        numbers = ", ".join(str(t.number) for t in talk.observe(user=said, assistant=answer))
        Terminal().print(f"turn {numbers} is stored; palimpsest reflect reads it")
