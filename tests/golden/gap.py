"""The figures of the extractor gap, for its document and its golden."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from rich.console import Console

from palimpsest.bench import suite
from palimpsest.bench.gap import EXTRACTORS, STRATEGIES, SUITES, Fed, Gap, measure, without_labels
from palimpsest.bench.gap_report import gap_report
from palimpsest.bench.generated import LANGUAGES
from palimpsest.bench.report import totals
from palimpsest.bench.run import Options, find
from palimpsest.cli.gap import show_gap
from tests.golden import documents

ROOT = Path(__file__).resolve().parents[2]
PUBLISHED = ROOT.parent / "shared" / "published" / "compaction-50" / "conversation.json"
DOCUMENT = ROOT / "docs" / "extractor-gap.md"
WIDTH = 100
_OPTIONS = Options(strategies=STRATEGIES, look_after=False)


@cache
def _gaps() -> tuple[Gap, ...]:
    return measure([find(name) for name in SUITES], EXTRACTORS, _OPTIONS)


@cache
def _published() -> tuple[Gap, ...]:
    """Labels with them, every other extractor without: stripped before anything reads it."""
    whole = suite.load(PUBLISHED)
    (labels,) = measure([whole], ["labels"], _OPTIONS)
    (others,) = measure([without_labels(whole)], EXTRACTORS[1:], _OPTIONS)
    return (Gap(suite=whole, fed=(*labels.fed, *others.fed)),)


def report() -> str:
    """Every figure and every miss of the built-in suites."""
    return json.dumps(gap_report(_gaps(), ledger=True), indent=1, ensure_ascii=False) + "\n"


def document() -> str:
    """The page with its tables written anew; the published one stays where that is not there."""
    text = DOCUMENT.read_text(encoding="utf-8")
    text = documents.filled(text, "gap", _tables(_gaps()))
    text = documents.filled(text, "gap by language", _by_language())
    if PUBLISHED.exists():
        text = documents.filled(text, "gap published", _tables(_published()))
    return text


def _tables(gaps: Sequence[Gap]) -> str:
    console = Console(width=WIDTH, highlight=False, color_system=None)
    with console.capture() as captured:
        for gap in gaps:
            show_gap(console, gap, ledger=False)
    return captured.get()


def _by_language() -> str:
    """A table a generated suite: as many checkpoints a language as the suite has."""
    seeded = [gap for gap in _gaps() if gap.suite.name.startswith("generated-")]
    lines: list[str] = []
    for gap in seeded:
        lines += ["", f"{gap.suite.name:<14}" + "".join(f"{code:>14}" for code in LANGUAGES)]
        lines += [
            f"{fed.extractor:<14}" + "".join(f"{cell:>14}" for cell in _cells(fed))
            for fed in gap.fed
        ]
    return "\n".join(lines[1:])


def _cells(fed: Fed) -> list[str]:
    rows = fed.replayed.rows["managed"]
    each = len(rows) // len(LANGUAGES)
    found = [totals(rows[each * place : each * (place + 1)]) for place in range(len(LANGUAGES))]
    return [
        f"{at['found']}/{at['required']}"
        + (f" ~{at['stale']}" if at["stale"] else "")
        + (f" !{at['deleted']}" if at["deleted"] else "")
        for at in found
    ]
