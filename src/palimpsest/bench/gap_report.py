"""The gap as JSON: beside the published keys of a report, or by itself."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence
from typing import Any

from palimpsest.bench.gap import Fed, Gap
from palimpsest.bench.report import row_json, totals
from palimpsest.bench.report_schema import SCHEMA


def gap_report(gaps: Sequence[Gap], *, ledger: bool) -> dict[str, Any]:
    """Every suite by its name; with ``ledger`` each miss, its turn and its verdicts."""
    made = {
        gap.suite.name: {
            "suite": {"name": gap.suite.name, "fingerprint": gap.suite.fingerprint},
            "extractors": extractors_json(gap, ledger=ledger),
        }
        for gap in gaps
    }
    return {"schema": SCHEMA, "suites": made}


def extractors_json(gap: Gap, *, ledger: bool) -> dict[str, Any]:
    """The extractors of one suite by their printed Spec."""
    return {fed.extractor: _fed(fed, ledger=ledger) for fed in gap.fed}


def _fed(fed: Fed, *, ledger: bool) -> dict[str, Any]:
    run = fed.replayed
    usages = [reading.usage for reading in run.readings]
    verdicts = Counter(v.action for reading in run.readings for v in reading.verdicts)
    extra = None if fed.extra is None else len(fed.extra)
    made: dict[str, Any] = {
        "written_on": fed.written_on,
        "trusted": fed.trusted,
        "totals": {key: totals(rows) for key, rows in run.rows.items()},
        "checkpoints": {key: [row_json(row) for row in rows] for key, rows in run.rows.items()},
        "rows": {
            "current": len(fed.held),
            "unasked": extra,
            "repeated": dict(fed.repeated),
        },
        "readings": {
            "turns": len(run.readings),
            "failed": sum(reading.status == "failed" for reading in run.readings),
            "calls": sum(usage.calls for usage in usages),
            "prompt_tokens": sum(usage.prompt_tokens for usage in usages),
            "answer_tokens": sum(usage.answer_tokens for usage in usages),
        },
        "verdicts": dict(sorted(verdicts.items())),
    }
    if ledger:
        made["misses"] = [dataclasses.asdict(miss) for miss in fed.misses]
        made["extra"] = [{"turn": row.turn, "text": row.text} for row in fed.extra or ()]
    return made
