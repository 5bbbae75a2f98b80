"""``palimpsest bench``: run suites, list the built-in ones, print the schema of a suite."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from palimpsest.bench import builtin, case_file, suite_file
from palimpsest.bench.gap import measure
from palimpsest.bench.gap_report import extractors_json
from palimpsest.bench.replay import DEFAULT_STRATEGIES, Replayed
from palimpsest.bench.report import report, whole
from palimpsest.bench.run import Options, find_all, run_all
from palimpsest.bench.suite import Suite
from palimpsest.bench.sweep import parse_all
from palimpsest.cli.bench_forget import forget_command
from palimpsest.cli.bench_gate import bless_command, check_command
from palimpsest.cli.bench_table import heading, lines, long_names, tables
from palimpsest.cli.cases import cases_command
from palimpsest.cli.forgotten_table import forgotten_table
from palimpsest.cli.gap import gap_command, show_gap
from palimpsest.cli.generate import generate_command
from palimpsest.cli.json_output import STDOUT, json_output
from palimpsest.cli.label import label_command
from palimpsest.cli.late_progress import late_progress
from palimpsest.cli.output_file import text_output
from palimpsest.cli.report import page
from palimpsest.cli.sweep_table import sweep_tables
from palimpsest.cli.terminal import Terminal
from palimpsest.errors import InputError
from palimpsest.language.invisible import shown
from palimpsest.store.version import sqlite_version


@click.group()
def bench() -> None:
    """Which current, replaced and forgotten facts reach a request."""


bench.add_command(cases_command)
bench.add_command(forget_command)
bench.add_command(gap_command)
bench.add_command(generate_command)
bench.add_command(label_command)


@bench.command()
@click.argument("suites", nargs=-1, metavar="[SUITE|FILE]...")
@click.option(
    "--strategy", "strategies", multiple=True, metavar="SPEC",
    help="A strategy such as recent or 'managed(quota=120)'; repeat for more. "
    f"Default: {', '.join(DEFAULT_STRATEGIES)}.",
)  # fmt: skip
@click.option("--config", type=click.Path(path_type=Path), metavar="TOML", help="A settings file.")
@click.option("--tokenizer", metavar="NAME", help="The tokenizer to count with.")
@click.option("--json", "target", metavar="PATH|-", help="Write the report; - is standard output.")
@click.option(
    "--sweep", "sweeps", multiple=True, metavar="SWEEP",
    help="Repeat at each value: quota=120,160,240 (facts quotas), answer=64..256:32 (or window=, "
    "margin=), 'managed(quota=80..320:40)'; repeat for more.",
)  # fmt: skip
@click.option(
    "--extractor", "extractors", multiple=True, metavar="SPEC",
    help="Also feed the managed store by reading the text with it: labels or rules; "
    "repeat for more.",
)  # fmt: skip
@click.option("--html", "html", metavar="PATH|-", help="Write the report as one page.")
@click.option("--requests", is_flag=True, help="Put every request and its ledger in the report.")
def run(
    suites: tuple[str, ...],
    strategies: tuple[str, ...],
    config: Path | None,
    tokenizer: str | None,
    target: str | None,
    sweeps: tuple[str, ...],
    extractors: tuple[str, ...],
    html: str | None,
    requests: bool,
) -> None:
    """Replay suites and grade the request of every strategy.

    Without arguments the built-in suites run. A leak is a result, not an error.
    """
    if requests and target is None:
        raise InputError("--requests: adds to the JSON report; give --json PATH as well")
    swept = parse_all(sweeps)
    options = Options(
        strategies=strategies or DEFAULT_STRATEGIES,
        config=config,
        tokenizer=tokenizer,
        sweep=swept.quotas,
        sweeps=swept.others,
    )
    if STDOUT == html == target:
        raise InputError("--html -: standard output takes the JSON report already")
    with text_output(html, "--html") as write:
        made = _run(find_all(suites), options, extractors, target, html, requests=requests)
        if html is not None:
            write(page(made, "bench run"))
    if html not in (None, STDOUT) and target != STDOUT:
        Terminal(highlight=False).print(f"page: {shown(html)}", markup=False, soft_wrap=True)


def _run(
    found: tuple[Suite, ...],
    options: Options,
    extractors: tuple[str, ...],
    target: str | None,
    html: str | None,
    *,
    requests: bool,
) -> dict[str, Any]:
    with json_output(target) as write:
        with late_progress() as step:
            runs = run_all(found, options, step)
            gaps = measure(found, extractors, options, step) if extractors else ()
        reports = {
            made.suite.name: report(
                made, sqlite=sqlite_version(), requests=requests or html is not None
            )
            for made in runs
        }
        for gap in gaps:
            reports[gap.suite.name]["extractors"] = extractors_json(gap, ledger=True)
        whole_report = whole(reports)
        write(whole_report)
    if STDOUT in (target, html):
        return whole_report
    console = Terminal(highlight=False)
    for made in runs:
        show_run(console, made)
    for gap in gaps:
        show_gap(console, gap, ledger=False)
    if target is not None:
        console.print(f"report: {shown(target)}", markup=False, soft_wrap=True)
    return whole_report


def show_run(console: Terminal, made: Replayed) -> None:
    """The table of one suite, and what each strategy leaked and missed."""
    console.print(heading(made), soft_wrap=True)
    console.print(tables(made, console.width))
    for name in long_names(made, console.width):
        console.print(name, soft_wrap=True)
    console.print()
    for part in sweep_tables(made):
        console.print(part, soft_wrap=True)
    for line in lines(made):
        console.print(line, soft_wrap=True)
    console.print()
    for part in forgotten_table(made.after, console.width) if made.after else ():
        console.print(part, soft_wrap=isinstance(part, Text))
    console.print()


@bench.command()
def suites() -> None:
    """List the built-in suites."""
    console = Terminal(highlight=False)
    for name in builtin.known():
        found = builtin.load(name)
        console.print(
            f"{name:<14}{len(found.turns)} turns, {len(found.checkpoints)} checkpoints, input "
            f"budget {found.budget.input}: {found.description}",
            markup=False,
            soft_wrap=True,
        )


@bench.command()
@click.option("--cases", is_flag=True, help="That of a case set instead.")
def schema(cases: bool) -> None:
    """Print the JSON Schema of a suite file."""
    click.echo(json.dumps(case_file.schema() if cases else suite_file.schema(), indent=2))


bench.add_command(bless_command)
bench.add_command(check_command)
