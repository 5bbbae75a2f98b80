"""``palimpsest embedder``: prepare, verify and list what embeds for recall by meaning."""

from __future__ import annotations

import time
from pathlib import Path

import click

from palimpsest import registry
from palimpsest.cli.tokenizer import bars
from palimpsest.embedders import files
from palimpsest.errors import PalimpsestError

_NAME = click.argument("name", type=click.Choice(sorted(files.PINNED)))


@click.group()
def embedder() -> None:
    """What embeds memories and questions for recall by meaning.

    Nothing is ever fetched but by `prepare`.
    """


@embedder.command()
@_NAME
@click.option(
    "--from", "path", type=click.Path(path_type=Path, file_okay=False), metavar="DIR",
    help="Take the files from a folder that holds them.",
)  # fmt: skip
def prepare(name: str, path: Path | None) -> None:
    """Fetch and check the files of the embedder NAME, once."""
    began = time.monotonic()
    with bars() as report:
        folder = files.prepare(name, progress=report, path=path)
    click.echo(f"{name}: ready ({time.monotonic() - began:.1f} s), in {folder}")
    click.echo(f"  licence: {files.PINNED[name].licence}")


@embedder.command()
@_NAME
def verify(name: str) -> None:
    """Compare the files of the embedder NAME with their pinned checksums."""
    files.verified(name)
    click.echo(f"{files.place(name)}: is intact")


@embedder.command(name="list")
def list_() -> None:
    """List every embedder with what it still needs."""
    for name in registry.names("embedders"):
        try:
            made = registry.load("embedders", registry.parse(name))
        except PalimpsestError as error:
            click.echo(f"{name}: not ready: {error}")
            continue
        click.echo(
            f"{name}: ready, {made.name}, {made.dimensions} dimensions, "
            f"threshold {made.threshold:g}"
        )
