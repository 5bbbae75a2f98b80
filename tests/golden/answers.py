"""The grades of the committed recordings: as JSON beside them, as tables in the document."""

from __future__ import annotations

import json
import re
from pathlib import Path

from rich.console import Console

from palimpsest.bench.answers.graded import report
from palimpsest.bench.answers.session import Grading, grade_file
from palimpsest.cli.answers_table import heading, table

ROOT = Path(__file__).resolve().parents[2]
RECORDINGS = ROOT / "benchmarks" / "answers"
SUITES = ("travel-50", "selection-12")
WIDTH = 100


def graded(suite: str) -> Grading:
    """The committed recording of a suite, graded now."""
    return grade_file(suite, RECORDINGS / f"{suite}.smollm2.jsonl")


def grades(suite: str) -> str:
    """The grades as `palimpsest answers grade --json` writes them."""
    found = graded(suite)
    made = report(found.recording, found.groups, found.suite)
    return json.dumps(made, indent=2, ensure_ascii=False) + "\n"


def document() -> str:
    """docs/answers.md with its generated part written anew."""
    text = (ROOT / "docs" / "answers.md").read_text(encoding="utf-8")
    start, end = "<!-- generated: grades -->\n", "<!-- end -->"
    tables = "\n\n".join(_table(suite) for suite in SUITES)
    return re.sub(
        f"{re.escape(start)}.*?{re.escape(end)}",
        lambda _: f"{start}```text\n{tables}\n```\n{end}",
        text,
        flags=re.DOTALL,
    )


def _table(suite: str) -> str:
    console = Console(width=WIDTH, highlight=False, color_system=None)
    with console.capture() as captured:
        console.print(heading(graded(suite)), soft_wrap=True)
        console.print(table(graded(suite).groups))
    return re.sub(r"[ ]+$", "", captured.get(), flags=re.MULTILINE).rstrip()
