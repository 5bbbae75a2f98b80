"""Makes the JSON report of a case set: the published keys, and ours beside them.

Every row of every case is in it, never only totals, and no figure adds up two splits. Rows
and summaries hold exactly what the published result holds; ``turns`` are places in the
history of the case, from 0, as published. Nothing is random or timed: two runs of one set
with one configuration differ in ``environment`` only.
"""

from __future__ import annotations

import dataclasses
import hashlib
import platform
from collections.abc import Sequence
from importlib import resources
from typing import Any

from palimpsest import __version__, registry
from palimpsest.bench.case_reasons import reasons, takes_notes
from palimpsest.bench.report_schema import SCHEMA
from palimpsest.bench.selection import GRADER, CaseRow, CaseRun

TRIALS = 1
"""Strategies and counting are deterministic, so a second trial would repeat the first."""


def case_report(run: CaseRun) -> dict[str, Any]:
    """The whole report of one case set."""
    return {
        "schema": SCHEMA,
        "case_set": run.cases.name,
        "case_set_sha256": run.cases.sha256,
        "strategies_sha256": run.strategies_sha256,
        "tokenizer_manifest_sha256": manifest_sha256(),
        "environment": {
            "python": platform.python_version(),
            "implementation": platform.python_implementation(),
        },
        "counter": {
            "name": run.frame.name,
            "fingerprint": run.frame.fingerprint,
            "estimated": run.frame.estimated,
            "count_scope": "chat template with generation prefix; no inference",
        },
        "trials": TRIALS,
        "grader": GRADER,
        "summary": {
            key: {split: summary(run.of(key, split)) for split in run.splits} for key in run.rows
        },
        "cases": {key: [row_of(row) for row in rows] for key, rows in run.rows.items()},
        **_additions(run),
    }


def summary(rows: Sequence[CaseRow]) -> dict[str, Any]:
    """What one strategy found in one split."""
    found = sum(row.grade.found for row in rows)
    total = sum(row.grade.required for row in rows)
    return {
        "cases": len(rows),
        "facts_found": found,
        "facts_total": total,
        "fact_recall": round(found / total, 3),
        "complete_cases": sum(row.complete for row in rows),
        "cases_with_stale_facts": sum(bool(row.grade.stale) for row in rows),
        "over_budget": sum(not row.within_budget for row in rows),
        "mean_input_tokens": round(sum(row.tokens for row in rows) / len(rows), 1),
    }


def row_of(row: CaseRow) -> dict[str, Any]:
    """One strategy on one case."""
    ledger = row.request.ledger
    return {
        "case": row.case.id,
        "split": row.case.split,
        "kind": row.case.kind,
        "turns": [
            number - 1 for e in ledger.turns if e.kept for number in range(e.first, e.last + 1)
        ],
        "notes": sum(note.sent for note in ledger.notes),
        "input_tokens": row.tokens,
        "within_budget": row.within_budget,
        "required_found": row.grade.found,
        "required_total": row.grade.required,
        "missing": list(row.grade.missing),
        "stale_included": list(row.grade.stale),
    }


def manifest_sha256() -> str:
    """The SHA-256 of the manifest that pins the tokenizers, in hex."""
    data = (resources.files("palimpsest.tokens") / "data" / "manifest.toml").read_bytes()
    return hashlib.sha256(data).hexdigest()


def _additions(run: CaseRun) -> dict[str, Any]:
    said = run.cases.held_out
    return {
        "held_out": {"blind": said.blind, "note": said.note} if said else None,
        "strategies": {entrant.key: registry.render(entrant.spec) for entrant in run.entrants},
        "config": run.config.fingerprint,
        "palimpsest": __version__,
        "splits": {
            case.id: {"split": case.split, "digest": case.digest} for case in run.cases.cases
        },
        "details": {
            key: [_detail(row, takes_notes(rows)) for row in rows] for key, rows in run.rows.items()
        },
    }


def _detail(row: CaseRow, notes: bool) -> dict[str, Any]:
    ledger = row.request.ledger
    return {
        "case": row.case.id,
        "kept_from_an_equal_run": row.kept,
        "parts": dict(ledger.parts),
        "turns": [
            {"first": entry.first, "last": entry.last, "reason": entry.reason}
            for entry in ledger.turns
        ],
        "why": [dataclasses.asdict(reason) for reason in reasons(row, notes=notes)],
    }
