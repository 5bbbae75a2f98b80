"""The files that `make goldens` rewrites, each with the function that makes its text.

A golden is changed by changing the code and looking at the difference, never by hand.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.text import Text

from palimpsest.bench import builtin, case_file, compaction_suite, probes, suite_file
from palimpsest.bench.builtin import case_sets
from palimpsest.bench.case_report import case_report
from palimpsest.bench.case_run import CaseOptions, run_named
from palimpsest.bench.compaction import Comparison, compare
from palimpsest.bench.compaction import report as compaction_data
from palimpsest.bench.replay import Replayed
from palimpsest.bench.report import report
from palimpsest.bench.run import Options, run_all
from palimpsest.bench.selection import DEFAULT_STRATEGIES as CASE_STRATEGIES
from palimpsest.bench.selection import CaseRun
from palimpsest.bench.sweep import parse_all
from palimpsest.bench.trace import as_json, subject, trace
from palimpsest.cli import compact_table
from palimpsest.cli.bench_table import heading, lines, tables
from palimpsest.cli.cases import show_cases
from palimpsest.cli.forgotten_table import forgotten_table
from palimpsest.cli.sweep_table import sweep_tables
from palimpsest.config import Config
from palimpsest.context import compaction_request
from palimpsest.tokens import prepared
from palimpsest.tokens.counter import TokenCounter
from palimpsest.web import wording
from tests.golden import answers, documents, gap
from tests.golden.seats import seats_table
from tests.support import api_story
from tests.support.wording import template_text

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
SUITES = ROOT / "src" / "palimpsest" / "bench" / "builtin"
WIDTH = 100


@cache
def _runs() -> Mapping[str, Replayed]:
    made = run_all([builtin.load(name) for name in builtin.names()], Options())
    return {run.suite.name: run for run in made}


def _run(name: str) -> Replayed:
    return _runs()[name]


def suite_report(name: str) -> str:
    """The report of a built-in suite with every request, without the machine it ran on."""
    made = report(_run(name), sqlite="", requests=True)
    del made["environment"], made["palimpsest"]
    return json.dumps(made, indent=1, ensure_ascii=False) + "\n"


def table(name: str) -> str:
    """What the terminal shows of a built-in suite, without colour."""
    console = Console(width=WIDTH, highlight=False, color_system=None)
    with console.capture() as captured:
        console.print(heading(_run(name)), soft_wrap=True)
        console.print(tables(_run(name), WIDTH))
        for line in lines(_run(name)):
            console.print(line, soft_wrap=True)
        after = _run(name).after
        assert after is not None
        console.print()
        for part in forgotten_table(after, WIDTH):
            console.print(part, soft_wrap=isinstance(part, Text))
    return captured.get()


def answer_sweep(name: str) -> str:
    """What the terminal shows of a built-in suite at growing answer reserves."""
    swept = Options(sweeps=parse_all(["answer=64..384:32"]).others, look_after=False)
    (run,) = run_all([builtin.load(name)], swept)
    console = Console(width=WIDTH, highlight=False, color_system=None)
    with console.capture() as captured:
        for part in sweep_tables(run):
            console.print(part, soft_wrap=True)
    return captured.get()


def fact_trace(name: str, fact: str) -> str:
    """The trace of a fact in a built-in suite."""
    run = _run(name)
    found = as_json(trace(run, subject(run.suite, fact)))
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


def schema() -> str:
    """The JSON Schema of a suite file."""
    return json.dumps(suite_file.schema(), indent=2) + "\n"


@cache
def _case_run(name: str) -> CaseRun:
    return run_named(name, CaseOptions(run=Options(strategies=CASE_STRATEGIES)))


def cases_report(name: str) -> str:
    """The report of a built-in case set, without the machine and the code that made it."""
    made = case_report(_case_run(name))
    for key in ("environment", "palimpsest", "strategies_sha256", "tokenizer_manifest_sha256"):
        del made[key]
    return json.dumps(made, indent=1, ensure_ascii=False) + "\n"


def cases_table(name: str) -> str:
    """What the terminal shows of a built-in case set, without colour."""
    console = Console(width=WIDTH, highlight=False, color_system=None)
    with console.capture() as captured:
        show_cases(console, _case_run(name))
    return captured.get()


def cases_schema() -> str:
    """The JSON Schema of a case-set file."""
    return json.dumps(case_file.schema(), indent=2) + "\n"


def api_examples() -> str:
    """What the HTTP API answers to the examples of its table."""
    with TemporaryDirectory() as folder:
        return api_story.examples("gemma-4-e2b", Path(folder))


@cache
def _compared() -> Comparison:
    request = compaction_request.read(compaction_suite.load("request"))
    return compare(
        request, probes.read(compaction_suite.load("probes")), name=compaction_suite.NAME,
        extractor="cues", counter=TokenCounter(prepared.load("gemma-4-e2b")),
        config=request.settings(Config()),
    )  # fmt: skip


def compaction_report() -> str:
    """The result of the built-in compaction suite."""
    return json.dumps(compaction_data(_compared()), indent=1, ensure_ascii=False) + "\n"


def compaction_table() -> str:
    """What the terminal shows of the built-in compaction suite, without colour."""
    console = Console(width=WIDTH, highlight=False, color_system=None)
    with console.capture() as captured:
        compact_table.show(console, _compared())
    return captured.get()


GOLDENS: Mapping[Path, Callable[[], str]] = {
    **{SUITES / f"{name}.json": partial(builtin.generated, name) for name in builtin.known()},
    **{
        SUITES.parent / "compaction_suite" / f"{part}.json": partial(
            compaction_suite.generated, part
        )
        for part in compaction_suite.GENERATORS
    },
    ROOT / "docs" / "suite.schema.json": schema,
    **{HERE / f"{name}.report.json": partial(suite_report, name) for name in builtin.names()},
    **{HERE / f"{name}.table.txt": partial(table, name) for name in builtin.names()},
    **{SUITES / f"{n}.json": partial(case_sets.generated, n) for n in case_sets.names()},
    **{HERE / f"{n}.report.json": partial(cases_report, n) for n in case_sets.names()},
    **{HERE / f"{n}.table.txt": partial(cases_table, n) for n in case_sets.names()},
    ROOT / "docs" / "cases.schema.json": cases_schema,
    HERE / "travel-50.passport.trace.json": partial(fact_trace, "travel-50", "passport"),
    ROOT / "README.md": partial(documents.readme, partial(table, "travel-50")),
    ROOT / "docs" / "gate.md": partial(documents.gate, partial(answer_sweep, "travel-50")),
    ROOT / "docs" / "answers.md": answers.document,
    ROOT / "docs" / "compaction.md": partial(documents.compaction, compaction_table),
    ROOT / "docs" / "seats.md": partial(documents.seats, seats_table),
    HERE / "compaction-8.json": compaction_report,
    **{
        answers.RECORDINGS / f"{name}.smollm2.grades.json": partial(answers.grades, name)
        for name in answers.SUITES
    },
    gap.DOCUMENT: gap.document,
    HERE / "extractor-gap.json": gap.report,
    ROOT / "docs" / "commands.md": documents.commands,
    wording.LOCALE / "messages.pot": template_text,
    ROOT / "docs" / "settings.md": documents.settings,
    ROOT / "src" / "palimpsest" / "web" / "api" / "examples.json": api_examples,
}
