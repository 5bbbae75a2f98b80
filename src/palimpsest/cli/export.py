"""``palimpsest export``: all that is kept, as JSON lines that ``import`` takes back."""

from __future__ import annotations

from pathlib import Path

import click

from palimpsest.cli.late_progress import late_progress
from palimpsest.cli.store_options import opened, store_only


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE")
@click.option("--user", "users", multiple=True, help="Only this user; may be given again.")
@store_only
def export(file: Path, users: tuple[str, ...], store: Path) -> None:
    """Write turns, memories and all decisions to FILE, one JSON record a line.

    A later forget cannot reach into FILE; `palimpsest audit` looks into it and says so.
    """
    with opened(store) as held, late_progress() as late:
        count = held.export(file, users=users, progress=lambda at: late("records", at, 0))
    click.echo(f"{count:,} records are in {file}")
