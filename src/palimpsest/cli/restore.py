"""``palimpsest restore``: goes back to a backup, without what was forgotten since."""

from __future__ import annotations

from pathlib import Path

import click

from palimpsest.cli.late_progress import late_progress
from palimpsest.cli.store_options import store_only
from palimpsest.config import Config, load
from palimpsest.errors import InputError
from palimpsest.restoring import restored


@click.command()
@click.argument(
    "file", type=click.Path(path_type=Path, exists=True, dir_okay=False), metavar="FILE"
)
@click.option("--replace", is_flag=True, help="Take the place of a store that is there.")
@click.option("--config", type=click.Path(path_type=Path), metavar="TOML", help="A settings file.")
@store_only
def restore(file: Path, replace: bool, config: Path | None, store: Path) -> None:
    """Put the backup FILE in the place of the store.

    What was forgotten since the backup was made is forgotten in it before anybody can read
    it; everything else of the store is as it was then.
    """
    if store.exists() and not replace:
        raise InputError(
            f"--store {store}: is there already; --replace puts the backup in its place "
            "('palimpsest backup' keeps a copy of it first)"
        )
    store.parent.mkdir(parents=True, exist_ok=True)
    key_file = (load(config) if config else Config()).forget.key_file or None
    with late_progress() as late:
        done = restored(
            store, file, key_file=key_file, progress=lambda at, of: late("pages", at, of)
        )
    click.echo(f"{store}: is as {file} was, {done.conversations} conversations")
    if done.forgotten:
        click.echo(f"forgotten again: {done.forgotten} memories and values of later forgets")
