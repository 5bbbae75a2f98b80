"""``palimpsest index``: rebuild, verify and look at what recall searches."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import click

from palimpsest.cli.json_output import STDOUT, json_output
from palimpsest.cli.late_progress import late_progress
from palimpsest.cli.store_options import embedder_options, opened, store_only
from palimpsest.store.verified import Verified

_FINDING = 1
_JSON = click.option("--json", "target", metavar="PATH|-", help="Write JSON; - is standard output.")


@click.group()
def index() -> None:
    """What recall searches: rows of words, and vectors where an embedder is set.

    All of it is derived from the memories and can be dropped and made anew.
    """


@index.command()
@embedder_options
@store_only
def rebuild(embedder: str | None, config: Path | None, store: Path) -> None:
    """Make every index anew from the memories.

    Vectors are made with the embedder, and those of others are dropped; without one they
    stay. A process that was killed here leaves an index that the next one completes.
    """
    with (
        opened(store, config=config, embedder=embedder, indexing="inline") as memory,
        late_progress() as step,
    ):
        made = memory.rebuild_indexes(lambda done, of: step("embedding", done, of))
    click.echo(f"words: {made.lexical} rows")
    if made.vectors is None:
        click.echo("vectors: as they were; name an --embedder to make them anew")
        return
    refused = f", {made.vectors.refused} texts got none" if made.vectors.refused else ""
    click.echo(f"vectors: {made.vectors.embedded} made{refused}, {made.dropped} were dropped")


@index.command()
@store_only
@_JSON
@click.pass_context
def verify(ctx: click.Context, store: Path, target: str | None) -> None:
    """Compare every row with its memory; exit status 1 where one is wrong."""
    with opened(store) as memory, json_output(target) as write:
        found = memory.verify_indexes()
        write({"schema": 1, "indexes": [{**dataclasses.asdict(i), "ok": i.ok} for i in found]})
    if target != STDOUT:
        for item in found:
            click.echo(f"{item.index}: {item.rows} rows, {_said(item)}")
    if not all(item.ok for item in found):
        click.echo("run `palimpsest index rebuild`", err=True)
        ctx.exit(_FINDING)


@index.command()
@store_only
@_JSON
def status(store: Path, target: str | None) -> None:
    """Say how far the vectors of each embedder are."""
    with opened(store) as memory, json_output(target) as write:
        found = memory.index_status()
        write({"schema": 1, **dataclasses.asdict(found)})
    if target == STDOUT:
        return
    click.echo(f"{found.memories} current memories")
    for item in found.vectors:
        serves = "serves" if item.complete else "does not serve yet: words do"
        click.echo(
            f"{item.name}, {item.dimensions} dimensions: {item.vectors} vectors "
            f"({item.bytes:,} bytes), {item.missing} wait; {serves}"
        )
    if not found.vectors:
        click.echo("no embedder has made vectors here; recall goes by words")


def _said(item: Verified) -> str:
    if item.ok:
        return "all right"
    faults = ((item.missing, "missing"), (item.gone, "of no memory"), (item.wrong, "wrong"))
    said = [f"{many} {what}" for many, what in faults if many]
    return ", ".join([*said, *([item.damage] if item.damage else [])])
