"""``palimpsest report``: a kept JSON report as one page that opens from disk."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from palimpsest.bench import json_file
from palimpsest.bench.answers.session import grade_file
from palimpsest.cli.output_file import text_output
from palimpsest.errors import InputError
from palimpsest.web.answers import Answers
from palimpsest.web.answers import answers as graded_answers
from palimpsest.web.cases_page import cases_page
from palimpsest.web.comparison import Compared, compared
from palimpsest.web.marks import MARKS
from palimpsest.web.render import cases_html, report_html
from palimpsest.web.report_page import suite_pages
from palimpsest.web.sweep_plots import INSTALL


@click.command()
@click.argument("file", type=click.Path(path_type=Path), metavar="REPORT.json")
@click.option("--html", "target", required=True, metavar="OUT|-", help="Write the page here.")
@click.option(
    "--check", type=click.Path(path_type=Path), metavar="FILE",
    help="Show what `bench check --json` found, regressions first.",
)  # fmt: skip
@click.option(
    "--answers", nargs=2, type=(str, click.Path(path_type=Path)), metavar="SUITE ANSWERS",
    help="Show recorded answers with their grades.",
)  # fmt: skip
def report(file: Path, target: str, check: Path | None, answers: tuple[str, Path] | None) -> None:
    """Make one page of a report of `bench run --requests --json` or `bench cases --json`."""
    data = _read(file)
    if data.get("schema") != 1:
        raise InputError(f"{file}: is not a report of 'palimpsest bench run --requests --json'")
    with text_output(target, "--html") as write:
        outcome = compared(_read(check), str(check)) if check is not None else None
        graded = graded_answers(grade_file(*answers)) if answers else None
        write(page(data, str(file), outcome, graded))


def page(
    data: Mapping[str, Any], where: str, outcome: Compared | None = None,
    answers: Answers | None = None,
) -> str:  # fmt: skip
    """The page of a whole report; raises InputError for what is none."""
    if "case_set" in data:
        return cases_html(cases_page(data, where))
    suites = suite_pages(data, where)
    title = "palimpsest: " + ", ".join(suite.name for suite in suites)
    return report_html(
        {
            "title": title, "suites": suites, "marks": MARKS.values(), "install": INSTALL,
            "outcome": outcome, "answers": answers,
        }
    )  # fmt: skip


def _read(file: Path) -> Mapping[str, Any]:
    raw = json_file.bytes_of(file, "JSON report")
    try:
        data = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{file}: is not JSON ({error})") from None
    if not isinstance(data, dict):
        raise InputError(f"{file}: is not a JSON object")
    return data
