"""The context of the page of a case set: cases down, strategies across, splits apart.

Made from the JSON report of ``bench cases`` alone. Invariant: no figure adds up two splits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from palimpsest.errors import InputError
from palimpsest.web.marks import MARKS, Mark


@dataclass(frozen=True, slots=True, kw_only=True)
class Total:
    """One strategy in one split."""

    strategy: str
    split: str
    found: int
    required: int
    complete: int
    cases: int
    stale: int
    tokens: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseFault:
    """A fact that is missing or stale, with its reasons in the words of the report."""

    mark: Mark
    fact: str
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseCell:
    """One strategy on one case."""

    strategy: str
    mark: Mark
    found: int
    required: int
    tokens: int
    why: tuple[CaseFault, ...]
    """Each missing or stale fact with its reasons; empty where all is well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseLine:
    """One case; ``place`` tells it apart in the page."""

    place: int
    case: str
    split: str
    kind: str
    cells: tuple[CaseCell, ...]

    @property
    def findings(self) -> tuple[CaseCell, ...]:
        """The cells that have something to say."""
        return tuple(cell for cell in self.cells if cell.why)


@dataclass(frozen=True, slots=True, kw_only=True)
class CasesPage:
    """A whole case set."""

    name: str
    strategies: tuple[str, ...]
    totals: tuple[Total, ...]
    cases: tuple[CaseLine, ...]
    note: str
    provenance: tuple[tuple[str, str], ...]


def cases_page(report: Mapping[str, Any], where: str) -> CasesPage:
    """The page of a report of ``bench cases``; raises InputError for anything else."""
    try:
        return _page(report)
    except (KeyError, TypeError, IndexError, AttributeError) as error:
        raise InputError(f"{where}: is no report of 'palimpsest bench cases' ({error})") from None


def _page(report: Mapping[str, Any]) -> CasesPage:
    strategies = tuple(report["cases"])
    held_out = report["held_out"]
    return CasesPage(
        name=report["case_set"], strategies=strategies, totals=tuple(_totals(report)),
        cases=tuple(_lines(report, strategies)), note=held_out["note"] if held_out else "",
        provenance=(
            ("case set", f"{report['case_set']}, sha256:{report['case_set_sha256']}"),
            ("settings", report["config"]),
            ("tokenizer", f"{report['counter']['name']}, {report['counter']['fingerprint']}"),
            ("grader", report["grader"]),
            ("palimpsest", report["palimpsest"]),
        ),
    )  # fmt: skip


def _totals(report: Mapping[str, Any]) -> Iterator[Total]:
    for strategy, splits in report["summary"].items():
        for split, total in splits.items():
            yield Total(
                strategy=strategy, split=split, found=total["facts_found"],
                required=total["facts_total"], complete=total["complete_cases"],
                cases=total["cases"], stale=total["cases_with_stale_facts"],
                tokens=total["mean_input_tokens"],
            )  # fmt: skip


def _lines(report: Mapping[str, Any], strategies: tuple[str, ...]) -> Iterator[CaseLine]:
    for place, first in enumerate(report["cases"][strategies[0]] if strategies else ()):
        yield CaseLine(
            place=place, case=first["case"], split=first["split"], kind=first["kind"],
            cells=tuple(
                _cell(name, report["cases"][name][place], report["details"][name][place])
                for name in strategies
            ),
        )  # fmt: skip


def _cell(strategy: str, row: Mapping[str, Any], detail: Mapping[str, Any]) -> CaseCell:
    if row["stale_included"]:
        mark = MARKS["stale"]
    else:
        mark = MARKS["missing" if row["missing"] else "kept"]
    return CaseCell(
        strategy=strategy, mark=mark, found=row["required_found"], required=row["required_total"],
        tokens=row["input_tokens"], why=tuple(_why(row, detail)),
    )  # fmt: skip


def _why(row: Mapping[str, Any], detail: Mapping[str, Any]) -> Iterator[CaseFault]:
    faults = {
        **dict.fromkeys(row["missing"], MARKS["missing"]),
        **dict.fromkeys(row["stale_included"], MARKS["stale"]),
    }
    for fact, mark in faults.items():
        told = tuple(reason["text"] for reason in detail["why"] if reason["fact"] == fact)
        yield CaseFault(mark=mark, fact=fact, reasons=told)
