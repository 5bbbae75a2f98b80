"""``palimpsest compact``: compacts one request and shows what was lost."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from palimpsest import config as settings
from palimpsest.bench import compaction_suite, json_file, probes
from palimpsest.bench.compaction import Comparison, compare, report
from palimpsest.cli.compact_table import show
from palimpsest.cli.json_output import STDOUT, json_output
from palimpsest.config import Config
from palimpsest.context import compaction_request
from palimpsest.context.compaction_request import CompactionRequest
from palimpsest.errors import InputError
from palimpsest.language.invisible import shown
from palimpsest.tokens.counter import TokenCounter
from palimpsest.tokens.prepared import resolve

_FILE = click.Path(path_type=Path, allow_dash=True)


@click.command()
@click.argument("request", required=False, type=_FILE, metavar="[REQUEST]")
@click.option("--probes", "probe_file", type=_FILE, metavar="FILE", help="Facts to look for.")
@click.option(
    "--extractor", metavar="SPEC",
    help="What finds the notes: cues, statements, drop-oldest for none, or a plug-in.",
)  # fmt: skip
@click.option("--config", type=click.Path(path_type=Path), metavar="TOML", help="A settings file.")
@click.option("--tokenizer", metavar="NAME", help="The tokenizer to count with.")
@click.option("--json", "target", metavar="PATH|-", help="Write the result; - is standard output.")
def compact(
    request: Path | None,
    probe_file: Path | None,
    extractor: str | None,
    config: Path | None,
    tokenizer: str | None,
    target: str | None,
) -> None:
    """Compact REQUEST (a JSON file, or - for stdin) and compare it with dropping old turns.

    Without REQUEST the built-in suite compaction-8 runs, with its probes. A lost fact is a
    result, not an error.
    """
    if request is None and probe_file is not None:
        raise InputError("--probes: is for a request of your own; name its file first")
    with json_output(target) as write:
        found = _compared(request, probe_file, extractor, config, tokenizer)
        write(report(found))
    if target == STDOUT:
        return
    console = Console(highlight=False)
    show(console, found)
    if target is not None:
        console.print(f"result: {shown(target)}", markup=False, soft_wrap=True)


def _compared(
    request: Path | None,
    probe_file: Path | None,
    extractor: str | None,
    config: Path | None,
    tokenizer: str | None,
) -> Comparison:
    base = settings.load(config) if config else Config()
    name = compaction_suite.NAME if request is None else str(request)
    data = compaction_suite.load("request") if request is None else _json(request, "request")
    given = compaction_request.read(data, where=name, limits=base.compaction)
    asked: Any = []
    if probe_file is not None:
        asked = _json(probe_file, "list of probes")
    elif request is None:
        asked = compaction_suite.load("probes")
    if request is None and config is not None:
        # A settings file beats a suite; what a request of one's own names beats the file.
        final = settings.load(config, given.settings(Config()))
        given = _without_numbers(given)
    else:
        final = given.settings(base, where=name)
    if tokenizer is not None:
        named = dataclasses.replace(final.tokenizer, name=tokenizer)
        final = dataclasses.replace(final, tokenizer=named)
    return compare(
        given, probes.read(asked, where=str(probe_file or "probes")), name=name,
        extractor=extractor or final.notes.extractor, config=final,
        counter=TokenCounter(resolve(final.tokenizer.name, final)),
    )  # fmt: skip


def _without_numbers(given: CompactionRequest) -> CompactionRequest:
    return dataclasses.replace(
        given, context_limit=None, max_new_tokens=None, margin=None, notes_reserve=None
    )


def _json(file: Path, what: str) -> Any:
    read = sys.stdin.buffer.read() if str(file) == "-" else json_file.bytes_of(file, what)
    return json_file.json_of(json_file.decoded(read, file, what), str(file), what)
