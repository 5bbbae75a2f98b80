"""``palimpsest bench gap``: what a strategy finds and leaks when extractors feed it."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click
from rich.console import Console
from rich.text import Text

from palimpsest.bench.gap import EXTRACTORS, STRATEGIES, SUITES, Fed, Gap, measure
from palimpsest.bench.gap_report import gap_report
from palimpsest.bench.misses import Miss
from palimpsest.bench.replay import Replayed
from palimpsest.bench.run import Options, find_all
from palimpsest.cli.bench_table import FORGOTTEN, STALE, heading, long_names, tables
from palimpsest.cli.json_output import STDOUT, json_output
from palimpsest.cli.late_progress import late_progress
from palimpsest.cli.terminal import Terminal
from palimpsest.language.invisible import shown

_SIGNS = {"missing": "-", "stale": STALE, "forgotten": FORGOTTEN}


@click.command("gap")
@click.argument("files", nargs=-1, metavar="[SUITE|FILE]...")
@click.option("--only", is_flag=True, help="Leave out the suites that are not named.")
@click.option(
    "--extractor", "extractors", multiple=True, metavar="SPEC",
    help="An extractor such as labels or rules; repeat for more. "
    f"Default: {', '.join(EXTRACTORS)}.",
)  # fmt: skip
@click.option(
    "--strategy", "strategies", multiple=True, metavar="SPEC",
    help="A strategy that a managed store feeds; repeat for more. "
    f"Default: {', '.join(STRATEGIES)}.",
)  # fmt: skip
@click.option("--config", type=click.Path(path_type=Path), metavar="TOML", help="A settings file.")
@click.option("--tokenizer", metavar="NAME", help="The tokenizer to count with.")
@click.option("--misses", is_flag=True, help="Show each miss, its sentence and the verdicts on it.")
@click.option("--json", "target", metavar="PATH|-", help="Write the report; - is standard output.")
def gap_command(
    files: tuple[str, ...],
    only: bool,
    extractors: tuple[str, ...],
    strategies: tuple[str, ...],
    config: Path | None,
    tokenizer: str | None,
    misses: bool,
    target: str | None,
) -> None:
    """Measure what extractors cost: labels are perfect, the others read the text.

    The suites travel-50, atelier-60, edges, generated-6 and generated-6b run, and those that
    are named.
    No extractor sees a label.
    """
    named = files if only and files else (*SUITES, *(n for n in files if n not in SUITES))
    options = Options(
        strategies=strategies or STRATEGIES, config=config, tokenizer=tokenizer, sweep=()
    )
    suites = find_all(named)
    with json_output(target) as write:
        with late_progress() as step:
            gaps = measure(suites, extractors or EXTRACTORS, options, step)
        write(gap_report(gaps, ledger=misses))
    if target == STDOUT:
        return
    console = Terminal(highlight=False)
    for gap in gaps:
        show_gap(console, gap, ledger=misses)
    if target is not None:
        console.print(f"report: {shown(target)}", markup=False, soft_wrap=True)


def show_gap(console: Console, gap: Gap, *, ledger: bool) -> None:
    """The table of one suite, an extractor a row, and what each row rests on."""
    side = _side_by_side(gap)
    console.print(heading(side), soft_wrap=True)
    console.print(tables(side, console.width, first="fed by"))
    for name in long_names(side, console.width):
        console.print(name, soft_wrap=True)
    console.print()
    for fed in gap.fed:
        for told in _lines(fed):
            console.print(Text(told), soft_wrap=True)
    if ledger:
        for fed in gap.fed:
            for miss in fed.misses:
                for line in _miss(fed, miss):
                    console.print(Text(shown(line)), soft_wrap=True)
            for row in fed.extra or ():
                extra = f" + {fed.extractor} keeps what no label asked for; turn {row.turn}: {row.text!r}"
                console.print(Text(shown(extra)), soft_wrap=True)
    console.print()


def _side_by_side(gap: Gap) -> Replayed:
    """One run whose rows are those of every extractor."""
    first = gap.fed[0].replayed
    several = len(first.rows) > 1
    rows = {
        f"{key}, {fed.extractor}" if several else fed.extractor: found
        for fed in gap.fed
        for key, found in fed.replayed.rows.items()
    }
    return dataclasses.replace(first, rows=rows, sweep={})


def _lines(fed: Fed) -> Iterator[str]:
    readings = fed.replayed.readings
    verdicts = Counter(v.action for reading in readings for v in reading.verdicts)
    failed = sum(reading.status == "failed" for reading in readings)
    told = ", ".join(f"{count} {action}" for action, count in sorted(verdicts.items()))
    extra = "" if fed.extra is None else f", {len(fed.extra)} of them that no label asked for"
    yield f" {fed.extractor}: {len(fed.held)} memories at the end{extra}; verdicts: {told or 'none'}"
    if fed.repeated:
        counts = ", ".join(f"{name} {rows}" for name, rows in fed.repeated.items())
        yield f"   rows of each fact that was said in several wordings: {counts}"
    if failed:
        yield f"   {failed} of {len(readings)} readings failed and changed nothing"
    if calls := sum(reading.usage.calls for reading in readings):
        prompt = sum(reading.usage.prompt_tokens for reading in readings)
        answer = sum(reading.usage.answer_tokens for reading in readings)
        yield f"   {calls} calls, {prompt} prompt tokens, {answer} answer tokens"
    yield f"   written on: {fed.written_on}"


def _miss(fed: Fed, miss: Miss) -> Iterator[str]:
    turns = ", ".join(map(str, miss.after))
    said = "" if miss.turn is None else f"; turn {miss.turn}: {miss.sentence!r}"
    yield f" {_SIGNS[miss.kind]} {fed.extractor} {miss.kind} {miss.fact!r} at {turns}{said}"
    for outcome in miss.outcome:
        yield f"     {outcome}"
