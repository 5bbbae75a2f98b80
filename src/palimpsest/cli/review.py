"""``palimpsest review``: what waits for a person, accepted or dismissed."""

from __future__ import annotations

from pathlib import Path

import click

from palimpsest.cli.memory_tables import verdict_table
from palimpsest.cli.store_options import opened, store_options
from palimpsest.cli.terminal import Terminal


@click.command()
@click.option("--accept", type=int, metavar="ID", help="Do what a waiting verdict proposes.")
@click.option("--dismiss", type=int, metavar="ID", help="Leave things as they are.")
@click.option("--memory", type=int, metavar="ID", help="With --accept: which memory is meant.")
@store_options
def review(
    accept: int | None, dismiss: int | None, memory: int | None, store: Path, user: str,
    conversation: str,
) -> None:  # fmt: skip
    """List what waits for you; accept or dismiss one of it."""
    if accept is not None and dismiss is not None:
        raise click.UsageError("give either --accept or --dismiss")
    if memory is not None and accept is None:
        raise click.UsageError("--memory belongs to --accept")
    with opened(store) as held:
        talk = held.conversation(user=user, id=conversation)
        terminal = Terminal()
        if accept is not None:
            terminal.print(verdict_table([talk.accept(accept, memory=memory)]))
        elif dismiss is not None:
            terminal.print(verdict_table([talk.dismiss(dismiss)]))
        else:
            waiting = talk.review()
            terminal.print(verdict_table(waiting) if waiting else "nothing waits")
            asks = next((verdict for verdict in waiting if verdict.candidates), None)
            if asks is not None:
                terminal.print(
                    "What is withheld is in no request until you answer: --accept "
                    f"{asks.id} --memory {asks.candidates[0]} forgets that one, --dismiss "
                    f"{asks.id} keeps them all.", markup=False, soft_wrap=True,
                )  # fmt: skip
