"""``palimpsest import``: takes over a file of ``palimpsest export``."""

from __future__ import annotations

from pathlib import Path

import click

from palimpsest.cli.late_progress import late_progress
from palimpsest.cli.store_options import opened, store_only


@click.command("import")
@click.argument(
    "file", type=click.Path(path_type=Path, exists=True, dir_okay=False), metavar="FILE"
)
@click.option("--as-user", metavar="NAME", help="Give the one user of FILE another name.")
@store_only
def import_(file: Path, as_user: str | None, store: Path) -> None:
    """Take over FILE, wholly or not at all.

    A conversation that is in the store already stays as it is: importing a file again
    changes nothing, and an old file brings nothing back that was forgotten since.
    """
    with opened(store, make=True) as held, late_progress() as late:
        done = held.import_file(file, as_user=as_user, progress=lambda at: late("records", at, 0))
    for user, name in done.added:
        click.echo(f"added: conversation {name!r} of user {user!r}")
    for user, name in done.known:
        click.echo(f"was here: conversation {name!r} of user {user!r}")
    click.echo(f"{done.rows:,} rows were added")
