"""``palimpsest story``: the summary, the anchors, the positions and the state of a conversation."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import click
from rich.text import Text

from palimpsest.cli.json_output import STDOUT, json_output
from palimpsest.cli.store_options import opened, store_options
from palimpsest.cli.terminal import Terminal
from palimpsest.language.invisible import shown
from palimpsest.proposals import Story


@click.command()
@click.option("--json", "target", metavar="PATH|-", help="Write JSON; - is standard output.")
@store_options
def story(target: str | None, store: Path, user: str, conversation: str) -> None:
    """What reflection keeps of a conversation besides its memories.

    Each part is changed by verdicts, which `palimpsest verdicts` lists and `palimpsest undo`
    takes back.
    """
    with opened(store) as held:
        talk = held.conversation(user=user, id=conversation)
        told = talk.story()
    with json_output(target) as write:
        write({
            "schema": 1, "summary": told.summary,
            "anchors": [dataclasses.asdict(anchor) for anchor in told.anchors],
            "released": [dataclasses.asdict(anchor) for anchor in told.released],
            "positions": [dataclasses.asdict(position) for position in told.positions],
            "state": dict(told.state),
        })  # fmt: skip
    if target != STDOUT:
        _show(told)


def _show(told: Story) -> None:
    terminal = Terminal()
    lines = [
        *([("summary", told.summary)] if told.summary else []),
        *((f"anchor {a.id}", a.text) for a in told.anchors),
        *((f"anchor {a.id} released", f"{a.text} ({a.reason})") for a in told.released),
        *(
            (
                f"position since turn {p.validated_turn}",
                f"{p.subject}: {p.text} ({p.justification})",
            )
            for p in told.positions
        ),
        *((f"state {name}", f"{value:g}") for name, value in told.state.items()),
    ]
    for name, text in lines:
        terminal.print(Text(f"{name}: ", style="bold") + Text(shown(text)), soft_wrap=True)
    if not lines:
        terminal.print("no story: no reading has told one yet")
