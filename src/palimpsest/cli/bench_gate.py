"""``palimpsest bench bless`` and ``palimpsest bench check``: write a baseline, hold a run to it.

The exit status is the printed verdict: 0 pass, 1 regression, 2 error.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import click
from rich.text import Text

from palimpsest.bench.baseline import Baseline, dumps, load
from palimpsest.bench.compare import Comparison, Kind, failed
from palimpsest.bench.gate import DEFAULT_PATH, Asked, bless, check
from palimpsest.bench.gate_github import commands
from palimpsest.bench.gate_junit import junit
from palimpsest.bench.gate_lines import lines, verdict
from palimpsest.bench.gate_markdown import markdown
from palimpsest.cli import discard_output
from palimpsest.cli.json_output import json_output
from palimpsest.cli.late_progress import late_progress
from palimpsest.cli.output_file import STDOUT, text_output
from palimpsest.cli.terminal import Terminal
from palimpsest.errors import InputError, PalimpsestError
from palimpsest.language.invisible import shown

_SIGNS: dict[Kind, tuple[str, str]] = {
    "forgotten": ("!", "bold red"),
    "stale": ("~", "red"),
    "lost": ("-", "red"),
    "gain": ("+", "yellow"),
    "changed": ("*", "yellow"),
    "storage": ("*", "yellow"),
}
_STRATEGY = click.option(
    "--strategy", "strategies", multiple=True, metavar="SPEC", help="A strategy; repeat for more."
)
_CONFIG = click.option(
    "--config", type=click.Path(path_type=Path), metavar="TOML", help="A settings file."
)
_TOKENIZER = click.option("--tokenizer", metavar="NAME", help="The tokenizer to count with.")


@click.command("bless")
@click.argument("suites", nargs=-1, metavar="[SUITE|FILE]...")
@click.option(
    "--baseline", type=click.Path(path_type=Path), default=DEFAULT_PATH, show_default=True,
    metavar="PATH", help="The file to write.",
)  # fmt: skip
@_STRATEGY
@_CONFIG
@_TOKENIZER
def bless_command(
    suites: tuple[str, ...],
    baseline: Path,
    strategies: tuple[str, ...],
    config: Path | None,
    tokenizer: str | None,
) -> None:
    """Run suites and write what they show as the baseline; nothing else ever moves it.

    Without arguments all built-in suites run. A forgotten fact that a bound strategy sends
    is written down too, and `bench check` goes on refusing it.
    """
    if str(baseline) == STDOUT:
        raise InputError("--baseline -: a baseline is a file; give its path")
    asked = Asked(suites=suites, strategies=strategies, config=config, tokenizer=tokenizer)
    with text_output(str(baseline), "--baseline") as write:
        with late_progress() as step:
            made = bless(asked, baseline, step)
        write(dumps(made))
    console = Terminal(highlight=False)
    for line in _blessed(made):
        console.print(line, soft_wrap=True)
    console.print(f"baseline: {shown(str(baseline))}", markup=False, soft_wrap=True)


def _blessed(made: Baseline) -> list[Text]:
    told = [
        Text(f"{shown(suite.name)}: {len(suite.cases)} cases, {len(suite.strategies)} strategies")
        for suite in made.suites
    ]
    for suite in made.suites:
        for case in suite.cases:
            for fact in case.deleted if case.strategy in suite.bound else ():
                text = f"{suite.name} {case.strategy} turn {case.after}: still sends {fact!r}"
                told.append(Text(f" ! {shown(text)}; no baseline can allow that", style="bold red"))
    return told


@click.command("check")
@click.argument("baseline", type=click.Path(path_type=Path), default=DEFAULT_PATH)
@_STRATEGY
@_CONFIG
@_TOKENIZER
@click.option("--junit", "junit_path", metavar="PATH|-", help="Write JUnit XML.")
@click.option(
    "--markdown", "markdown_path", metavar="PATH|-", help="Write a comment for a pull request."
)
@click.option("--json", "json_path", metavar="PATH|-", help="Write the findings as JSON.")
@click.option("--github", is_flag=True, help="Print annotations for a GitHub workflow.")
@click.pass_context
def check_command(
    context: click.Context,
    baseline: Path,
    strategies: tuple[str, ...],
    config: Path | None,
    tokenizer: str | None,
    junit_path: str | None,
    markdown_path: str | None,
    json_path: str | None,
    github: bool,
) -> None:
    """Run the suites of BASELINE again and compare, case by case.

    Exits 0 where all is as blessed, 1 where anything differs, 2 where nothing could be
    compared. Options that the baseline was not made with are refused.
    """
    given = (junit_path, markdown_path, json_path)
    _one_stream(given, github=github)
    asked = Asked(strategies=strategies, config=config, tokenizer=tokenizer)
    outcome = _reported(asked, baseline, Targets(*given), github=github)
    context.exit(outcome.exit_status)


class Targets(NamedTuple):
    """Where each report goes; ``None`` for nowhere, ``-`` for standard output."""

    junit: str | None
    markdown: str | None
    json: str | None


def _reported(asked: Asked, baseline: Path, targets: Targets, *, github: bool) -> Comparison:
    """Check, and write and print every report; their places are tried before the run."""
    with ExitStack() as stack:
        write_junit = stack.enter_context(text_output(targets.junit, "--junit"))
        write_markdown = stack.enter_context(text_output(targets.markdown, "--markdown"))
        write_json = stack.enter_context(json_output(targets.json))
        outcome = _outcome(baseline, asked)
        try:
            write_junit(junit(outcome))
            write_markdown(markdown(outcome))
            write_json(_json(outcome))
            if STDOUT not in targets:
                _show(outcome, baseline, github=github)
            sys.stdout.flush()
        except BrokenPipeError:
            # A reader that has seen enough must not turn a regression into a pass.
            discard_output()
    return outcome


def _one_stream(paths: Sequence[str | None], *, github: bool) -> None:
    """Refuse two things that would both be written to standard output."""
    if sum(path == STDOUT for path in paths) + github > 1:
        raise InputError(
            "--junit -, --markdown -, --json - and --github: only one may use standard output"
        )


def _outcome(baseline: Path, asked: Asked) -> Comparison:
    """The outcome; an error is one too, so that every report says it."""
    try:
        with late_progress() as step:
            return check(load(baseline), baseline, asked, step)
    except PalimpsestError as error:
        click.echo(f"error: {error}", err=True)
        return failed(str(error))


def _json(outcome: Comparison) -> dict[str, object]:
    return {
        "schema": 1,
        "verdict": outcome.verdict,
        "exit_status": outcome.exit_status,
        "refusals": list(outcome.refusals),
        "notes": list(outcome.notes),
        "findings": [
            {**dataclasses.asdict(found), "blocks": found.blocks} for found in outcome.findings
        ],
        "cases": len(outcome.cases),
    }


def _show(outcome: Comparison, baseline: Path, *, github: bool) -> None:
    console = Terminal(highlight=False)
    for note in outcome.notes:
        console.print(Text(shown(note), style="dim"), soft_wrap=True)
    for reason in outcome.refusals:
        console.print(Text.assemble((" x ", "bold red"), shown(reason)), soft_wrap=True)
    for line in lines(outcome):
        sign, style = _SIGNS[line.kind]
        console.print(
            Text.assemble((f" {sign} ", style), (line.case, "bold"), f": {line.text}"),
            soft_wrap=True,
        )
        if line.why:
            console.print(Text(f"   {line.why}", style="dim"), soft_wrap=True)
    if github:
        for command in commands(outcome, str(baseline)):
            click.echo(command)
    console.print(Text(verdict(outcome), style="bold"), soft_wrap=True)
