"""``palimpsest bench cases``: run a set of cases and show each strategy by split."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import click

from palimpsest.bench.case_file import SPLITS, Split
from palimpsest.bench.case_report import case_report
from palimpsest.bench.case_run import BUILT_IN, CaseOptions, run_named
from palimpsest.bench.run import Options
from palimpsest.bench.selection import DEFAULT_STRATEGIES, CaseRun
from palimpsest.cli.case_table import blindness, by_case, by_split, heading, lines
from palimpsest.cli.json_output import STDOUT, json_output
from palimpsest.cli.late_progress import late_progress
from palimpsest.cli.output_file import text_output
from palimpsest.cli.report import page
from palimpsest.cli.terminal import Terminal
from palimpsest.errors import InputError
from palimpsest.language.invisible import shown


@click.command("cases")
@click.argument("cases", required=False, default=BUILT_IN, metavar="[SET|FILE]")
@click.option(
    "--strategy", "strategies", multiple=True, metavar="SPEC",
    help="A strategy such as recent or 'relevant(stem=true)'; repeat for more. "
    f"Default: {', '.join(DEFAULT_STRATEGIES)}.",
)  # fmt: skip
@click.option(
    "--split", "splits", multiple=True, type=click.Choice(SPLITS),
    help="Run one split only: keep the held-out cases for when the strategies are fixed.",
)  # fmt: skip
@click.option("--config", type=click.Path(path_type=Path), metavar="TOML", help="A settings file.")
@click.option("--tokenizer", metavar="NAME", help="The tokenizer to count with.")
@click.option(
    "--baseline", type=click.Path(path_type=Path), metavar="REPORT",
    help="A recorded report of these cases: one that changed its split since is refused.",
)  # fmt: skip
@click.option("--html", "html", metavar="PATH|-", help="Write the report as one page.")
@click.option("--json", "target", metavar="PATH|-", help="Write the report; - is standard output.")
def cases_command(
    cases: str,
    strategies: tuple[str, ...],
    splits: tuple[str, ...],
    config: Path | None,
    tokenizer: str | None,
    baseline: Path | None,
    html: str | None,
    target: str | None,
) -> None:
    """Run strategies on short cases and grade which facts reach each request.

    A case is one conversation with one question; the figures stand apart by split. FILE
    is a JSON list of cases, or an object that holds one under "cases"; without it the
    built-in selection-12 runs. A missed or stale fact is a result, not an error.
    """
    options = CaseOptions(
        run=Options(
            strategies=strategies or DEFAULT_STRATEGIES, config=config, tokenizer=tokenizer
        ),
        splits=tuple(cast(Split, split) for split in dict.fromkeys(splits)),
        baseline=baseline,
    )
    if STDOUT == html == target:
        raise InputError("--html -: standard output takes the JSON report already")
    with json_output(target) as write, text_output(html, "--html") as write_page:
        with late_progress() as step:
            made = run_named(cases, options, lambda case, of: step("cases", case, of))
        report = case_report(made)
        write(report)
        if html is not None:
            write_page(page(report, cases))
    if STDOUT in (target, html):
        return
    console = Terminal(highlight=False)
    show_cases(console, made)
    if target is not None:
        console.print(f"report: {shown(target)}", markup=False, soft_wrap=True)
    if html is not None:
        console.print(f"page: {shown(html)}", markup=False, soft_wrap=True)


def show_cases(console: Terminal, made: CaseRun) -> None:
    """Print a run: by split, case by case, the reasons, and what the set says of itself."""
    console.print(heading(made), soft_wrap=True)
    console.print(by_split(made))
    console.print()
    console.print(by_case(made, console.width))
    console.print()
    for line in (*lines(made), *blindness(made)):
        console.print(line, soft_wrap=True)
    console.print()
