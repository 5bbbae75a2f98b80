"""``palimpsest forgotten-corners``: what is remembered and never comes up."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path

import click
from rich.table import Table
from rich.text import Text

from palimpsest.cli.json_output import STDOUT, json_output
from palimpsest.cli.store_options import opened, store_options
from palimpsest.cli.terminal import Terminal
from palimpsest.language.invisible import shown
from palimpsest.store.counting import Count, Turnout, corners
from palimpsest.types import Memory

_WIDEST = 100


@click.command()
@store_options
@click.option(
    "--least", type=click.IntRange(min=1), default=1, show_default=True, metavar="N",
    help="Only memories that were a candidate N times or more.",
)  # fmt: skip
@click.option(
    "--recalled", is_flag=True,
    help="List what was never brought back by a question, served for its rank or not.",
)  # fmt: skip
@click.option("--json", "target", metavar="PATH|-", help="Write the list; - is standard output.")
def forgotten_corners(
    store: Path, user: str, conversation: str, least: int, recalled: bool, target: str | None
) -> None:
    """List current memories that were candidates and were never served, most often first.

    Requests that were degraded count nothing: a sleeping embedder is no verdict on a memory.
    """
    with opened(store) as memory, json_output(target) as write:
        talk = memory.conversation(user=user, id=conversation)
        turnout = talk.turnout()
        counts = corners(talk.counts(), least=least, recalled=recalled)
        rows = {row.id: row for row in talk.visible([count.id for count in counts])}
        write(
            {
                "schema": 1, **dataclasses.asdict(turnout),
                "memories": [
                    {**dataclasses.asdict(count), "text": rows[count.id].text,
                     "kind": rows[count.id].kind, "reach": rows[count.id].reach}
                    for count in counts
                ],
            }
        )  # fmt: skip
    if target != STDOUT:
        _show(counts, rows, turnout)
        if target is not None:
            click.echo(f"list: {shown(target)}")


def _show(counts: Sequence[Count], rows: Mapping[int, Memory], turnout: Turnout) -> None:
    console = Terminal(highlight=False)
    console.print(
        f"{turnout.counted} requests counted, {turnout.degraded} degraded; "
        f"{len(counts)} memories never came up",
        markup=False,
    )
    if not counts:
        return
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in ("memory", "candidate", "served", "recalled", "kind", "text"):
        right = name in ("candidate", "served", "recalled")
        table.add_column(name, justify="right" if right else "left", no_wrap=name != "text")
    for count in counts:
        line = shown(rows[count.id].text)
        table.add_row(
            f"#{count.id}", str(count.candidate), str(count.served), str(count.recalled),
            rows[count.id].kind, Text(line if len(line) <= _WIDEST else line[:97] + "..."),
        )  # fmt: skip
    console.print(table, soft_wrap=True)
