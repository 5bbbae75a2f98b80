"""``palimpsest backup``: a copy of the store in a new file."""

from __future__ import annotations

from pathlib import Path

import click

from palimpsest.cli.late_progress import late_progress
from palimpsest.cli.store_options import opened, store_only


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE")
@store_only
def backup(file: Path, store: Path) -> None:
    """Copy the store to FILE, which must be new; others may go on writing meanwhile.

    A later forget cannot reach into FILE; `palimpsest audit` looks into it and says so.
    """
    with opened(store) as held, late_progress() as late:
        held.backup(file, progress=lambda at, of: late("pages", at, of))
    click.echo(f"{file}: is a copy of {store}")
