"""Reads a case set into plain frozen records.

A case is one conversation with one question, the facts that a correct answer needs, and
the replaced ones that it must not rest on. Whatever loads has passed the shape
(``case_file``) and the checks (``case_checks``); every fault is an InputError that opens
with the file and the path inside it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from palimpsest import config, messages
from palimpsest.bench import case_checks, case_file, json_file, suite_file
from palimpsest.bench.case_checks import Recorded
from palimpsest.bench.case_file import SPLITS, Split
from palimpsest.bench.suite import turn_of
from palimpsest.config import Config
from palimpsest.errors import ConfigError, InputError
from palimpsest.types import Budget, Turn

_WHAT = "case-set file"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One conversation, one question, and what its request is graded by."""

    id: str
    split: Split
    kind: str
    instructions: str | None
    question: str
    turns: tuple[Turn, ...]
    """The history, numbered 1, 2, 3 ..."""
    budget: Budget
    required: tuple[str, ...]
    stale: tuple[str, ...]
    digest: str
    """``sha256:`` of the content without id, split and kind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOut:
    """What a case set says about its held-out split."""

    blind: bool
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseSet:
    """Cases under one name, with the settings that they are run under."""

    name: str
    cases: tuple[Case, ...]
    sha256: str
    """Of the file's bytes, in hex: any change to the file changes it."""
    description: str = ""
    held_out: HeldOut | None = None
    """``None`` where the file does not say whether its held-out split is blind."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """The tables that the set lays over the default settings."""
    keys: Mapping[str, Any] | None = None
    """How answers are graded, as the file has it; see ``answers.keys``."""

    def config(self) -> Config:
        """The default settings with those of the set over them."""
        return config.merge(Config(), self.settings, where=f"{self.name}: settings")

    def split(self, split: Split) -> tuple[Case, ...]:
        """The cases of one split, in their order."""
        return tuple(case for case in self.cases if case.split == split)

    @property
    def splits(self) -> tuple[Split, ...]:
        """The splits that have cases, ``dev`` first."""
        return tuple(split for split in SPLITS if self.split(split))


def load_cases(path: Path, recorded: Recorded | None = None) -> CaseSet:
    """Read and check a case-set file; raises InputError.

    ``recorded`` holds the splits of an earlier run (``recorded_splits``); a case that
    changed its split since is refused.
    """
    data = json_file.bytes_of(path, _WHAT)
    text = json_file.decoded(data, path, _WHAT)
    return _made(
        json_file.json_of(text, str(path), _WHAT), where=str(path), name=json_file.name_of(path),
        sha256=hashlib.sha256(data).hexdigest(), recorded=recorded,
    )  # fmt: skip


def read(text: str, *, where: str, name: str, recorded: Recorded | None = None) -> CaseSet:
    """Read a case set from JSON text; ``name`` stands in where the file gives none."""
    return _made(
        json_file.json_of(text, where, _WHAT), where=where, name=name,
        sha256=hashlib.sha256(text.encode()).hexdigest(), recorded=recorded,
    )  # fmt: skip


def _made(data: Any, *, where: str, name: str, sha256: str, recorded: Recorded | None) -> CaseSet:
    from palimpsest.bench.answers import keys

    shape = case_file.read(data, where)
    given = data if isinstance(data, list) else data["cases"]
    try:
        settings = _settings(shape)
        made = tuple(
            _case(case, raw, f"cases[{i}]")
            for i, (case, raw) in enumerate(zip(shape.cases, given, strict=True))
        )
        case_checks.check(made, recorded)
        keys.of(shape.keys, "keys")
    except (InputError, ConfigError) as error:
        raise InputError(f"{where}: {error}") from None
    said = shape.held_out
    return CaseSet(
        name=shape.name or name,
        cases=made,
        sha256=sha256,
        description=shape.description or "",
        held_out=HeldOut(blind=said.blind, note=said.note) if said else None,
        settings=settings,
        keys=shape.keys,
    )


def recorded_splits(report: object, where: str) -> Recorded:
    """The splits of a recorded report of a case set; raises InputError."""
    found = report.get("splits") if isinstance(report, Mapping) else None
    if not isinstance(found, Mapping) or not all(map(_is_record, found.values())):
        raise InputError(
            f"{where}: is no report of a case set; write one with "
            "`palimpsest bench cases FILE --json REPORT`"
        )
    return Recorded(
        where=where,
        splits={str(id): entry["split"] for id, entry in found.items()},
        digests={str(id): entry["digest"] for id, entry in found.items()},
    )


def load_recorded(path: Path) -> Recorded:
    """The splits of a recorded report file; raises InputError."""
    text = json_file.text_of(path, "report of a case set")
    data = json_file.json_of(text, str(path), "report of a case set")
    return recorded_splits(data, str(path))


def _is_record(entry: object) -> bool:
    return (
        isinstance(entry, Mapping)
        and entry.get("split") in SPLITS
        and isinstance(entry.get("digest"), str)
    )


def _settings(shape: case_file.CaseSetShape) -> dict[str, Any]:
    settings = dict(shape.settings or {})
    if "budget" in settings:
        raise InputError("settings.budget: each case has its own budget; --config can lay one over")
    config.merge(Config(), settings, where="settings")
    return settings


def _case(shape: case_file.CaseShape, raw: Mapping[str, Any], path: str) -> Case:
    for kind in ("required", "stale"):
        for i, fact in enumerate(getattr(shape, kind)):
            messages.content_of(fact, f"{path}.{kind}[{i}]")
    messages.content_of(shape.instructions, f"{path}.instructions")
    messages.content_of(shape.current, f"{path}.current")
    labels = {"id", "split", "kind"}
    try:
        budget = config.budget(shape.budget.model_dump(), "budget")
    except InputError as error:
        raise InputError(f"{path}.{error}") from None
    return Case(
        id=shape.id,
        split=shape.split,
        kind=shape.kind,
        instructions=shape.instructions,
        question=shape.current,
        turns=tuple(
            _turn(turn, i + 1, f"{path}.history[{i}]") for i, turn in enumerate(shape.history)
        ),
        budget=budget,
        required=tuple(shape.required),
        stale=tuple(shape.stale),
        digest=_digest({k: v for k, v in raw.items() if k not in labels}),
    )


def _turn(shape: case_file.ExchangeShape | case_file.MessagesShape, number: int, path: str) -> Turn:
    numbered: suite_file.SpokenTurn | suite_file.MessagesTurn
    if isinstance(shape, case_file.MessagesShape):
        numbered = suite_file.MessagesTurn(turn=number, messages=shape.messages)
    else:
        numbered = suite_file.SpokenTurn(turn=number, user=shape.user, assistant=shape.assistant)
    return turn_of(numbered, path).turn


def _digest(content: Mapping[str, Any]) -> str:
    text = json.dumps(content, sort_keys=True)
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()
