"""Makes the JSON report of a run: the published keys, and ours beside them.

The published keys hold exactly what the published result holds, so two reports compare
key by key; whatever we add stands under keys of its own. Nothing here is random or
timed: two runs of one suite with one configuration differ in ``environment`` only.
"""

from __future__ import annotations

import dataclasses
import platform
from collections.abc import Mapping, Sequence
from typing import Any

from palimpsest import __version__, registry
from palimpsest.bench.evidence_json import evidence
from palimpsest.bench.forgotten_stages import as_json
from palimpsest.bench.grade import text_of
from palimpsest.bench.replay import Replayed, Row
from palimpsest.bench.report_schema import SCHEMA
from palimpsest.bench.spans import spans
from palimpsest.ledger import Ledger
from palimpsest.types import Budget, Message

TOTALS = ("found", "required", "stale", "deleted")


def report(run: Replayed, *, sqlite: str, requests: bool = False) -> dict[str, Any]:
    """The report of one suite, without ``schema``."""
    made: dict[str, Any] = {
        "budget": published_budget(run.budget),
        "input_budget": run.budget.input,
        "facts_quota": run.config.facts.quota,
        "checkpoints": {key: [row_json(row) for row in rows] for key, rows in run.rows.items()},
        "totals": {key: totals(rows) for key, rows in run.rows.items()},
        "storage": {
            entrant.key: dataclasses.asdict(run.storage[entrant.policy])
            for entrant in run.entrants
            if entrant.strategy.memory
        },
        "counter": f"{run.frame.name} tokenizer and chat template",
        "trials": 1,
        "environment": {"python": platform.python_version(), "sqlite": sqlite},
    }
    if run.sweep:
        made["quota_sweep"] = {
            str(quota): {key: totals(found) for key, found in rows.items()}
            for quota, rows in run.sweep.items()
        }
    if run.varied:
        made["sweeps"] = sweeps_json(run)
    if run.after is not None:
        made["forgotten_after"] = as_json(run.after)
    made.update(_additions(run))
    if requests:
        made.update(_requests(run))
    return made


def whole(reports: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """The whole file: one suite's keys at the top, several under ``suites``."""
    if len(reports) == 1:
        return {"schema": SCHEMA, **next(iter(reports.values()))}
    return {"schema": SCHEMA, "suites": dict(reports)}


def published_budget(budget: Budget) -> dict[str, int]:
    """A budget in the published spelling."""
    return {
        "context_limit": budget.window,
        "max_new_tokens": budget.answer,
        "margin": budget.margin,
    }


def totals(rows: Sequence[Row]) -> dict[str, int]:
    """What a strategy found and leaked over all checkpoints."""
    grades = [row.grade for row in rows]
    return {
        "found": sum(grade.found for grade in grades),
        "required": sum(grade.required for grade in grades),
        "stale": sum(len(grade.stale) for grade in grades),
        "deleted": sum(len(grade.deleted) for grade in grades),
    }


def row_json(row: Row) -> dict[str, Any]:
    """One checkpoint in the published spelling."""
    return {
        "after": row.after,
        "found": row.grade.found,
        "required": row.grade.required,
        "missing": list(row.grade.missing),
        "stale": list(row.grade.stale),
        "deleted": list(row.grade.deleted),
        "input_tokens": row.tokens,
    }


def _additions(run: Replayed) -> dict[str, Any]:
    return {
        "suite": {"name": run.suite.name, "fingerprint": run.suite.fingerprint},
        "strategies": {entrant.key: registry.render(entrant.spec) for entrant in run.entrants},
        "config": run.config.fingerprint,
        "tokenizer": {
            "name": run.frame.name,
            "fingerprint": run.frame.fingerprint,
            "estimated": run.frame.estimated,
        },
        "palimpsest": __version__,
        "details": {key: [_detail(row) for row in rows] for key, rows in run.rows.items()},
    }


def sweeps_json(run: Replayed) -> dict[str, Any]:
    """The sweeps by their text, each with its points; a refused point says why."""
    made: dict[str, Any] = {}
    for found in run.varied:
        variant = found.variant
        point: dict[str, Any] = {}
        if variant.budget is not None:
            point["budget"] = published_budget(variant.budget)
            point["input_budget"] = variant.budget.input
        if variant.refused:
            point["refused"] = variant.refused
        else:
            point["totals"] = {key: totals(rows) for key, rows in found.rows.items()}
            point["checkpoints"] = {
                key: [row_json(row) for row in rows] for key, rows in found.rows.items()
            }
        made.setdefault(variant.sweep, {})[variant.label] = point
    return made


def _detail(row: Row) -> dict[str, Any]:
    return {
        "after": row.after,
        "places": {fact: list(found) for fact, found in row.grade.places.items()},
        "parts": dict(row.request.ledger.parts),
        "kept_turns": sum(e.last - e.first + 1 for e in row.request.ledger.turns if e.kept),
    }


def _requests(run: Replayed) -> dict[str, Any]:
    table = _Texts()
    made = {
        key: [
            {
                "after": row.after,
                "messages": [table.folded(message) for message in row.request.sent],
                "said": [table.place(text_of(message)) for message in row.request.sent],
                "spans": spans(run, row),
                "ledger": ledger(row.request.ledger),
            }
            for row in rows
        ]
        for key, rows in run.rows.items()
    }
    return {"requests": made, **evidence(run, table.place), "texts": table.texts}


class _Texts:
    """Texts in the order of their first use, each once; messages refer to them by index."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._places: dict[str, int] = {}

    def folded(self, message: Message) -> dict[str, Any]:
        """The message with each text of its content as ``{"text": index}``."""
        data = message.as_dict()
        content = data.get("content")
        if isinstance(content, str):
            data["content"] = {"text": self.place(content)}
        elif isinstance(content, list):
            data["content"] = [self._part(part) for part in content]
        return data

    def _part(self, part: Any) -> Any:
        if isinstance(part, dict) and isinstance(part.get("text"), str):
            return {**part, "text": {"text": self.place(part["text"])}}
        return part

    def place(self, text: str) -> int:
        """The index of a text."""
        if text not in self._places:
            self._places[text] = len(self.texts)
            self.texts.append(text)
        return self._places[text]


def ledger(found: Ledger) -> dict[str, Any]:
    """A ledger as JSON: runs of turns and memories, notes, and tokens by part."""
    return {
        "turns": [dataclasses.asdict(entry) for entry in found.turns],
        "memories": [dataclasses.asdict(entry) for entry in found.memories],
        "notes": [dataclasses.asdict(entry) for entry in found.notes],
        "parts": dict(found.parts),
    }
