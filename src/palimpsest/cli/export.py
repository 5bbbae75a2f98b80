"""``palimpsest export``: all that is kept, as JSON lines that ``import`` takes back."""

from __future__ import annotations

from pathlib import Path

import click

from palimpsest.chat_exports import LOSSES, SHAPES
from palimpsest.cli.late_progress import late_progress
from palimpsest.cli.store_options import opened, store_only
from palimpsest.importers import OWN


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE")
@click.option("--user", "users", multiple=True, help="Only this user; may be given again.")
@click.option(
    "--format", "shape", type=click.Choice((OWN, *SHAPES)), default=OWN, show_default=True,
    help="All that is kept, or only transcripts for other programs.",
)  # fmt: skip
@store_only
def export(file: Path, users: tuple[str, ...], shape: str, store: Path) -> None:
    """Write turns, memories and all decisions to FILE, one JSON record a line.

    The formats openai-jsonl and sharegpt hold what was said and nothing else; what they have
    no place for is counted. A later forget cannot reach into FILE; `palimpsest audit` looks
    into it and says so.
    """
    if shape != OWN:
        _chats(file, users, shape, store)
        return
    with opened(store) as held, late_progress() as late:
        count = held.export(file, users=users, progress=lambda at: late("records", at, 0))
    click.echo(f"{count:,} records are in {file}")


def _chats(file: Path, users: tuple[str, ...], shape: str, store: Path) -> None:
    with opened(store) as held, late_progress() as late:
        done = held.export_chats(
            file, shape, users=users, progress=lambda at: late("conversations", at, 0)
        )
    click.echo(
        f"{done.conversations:,} conversations are in {file}, with {done.messages:,} messages"
    )
    for code, count in done.lost.most_common():
        click.echo(f"left out: {count:,} x {code} ({LOSSES[code]})")
