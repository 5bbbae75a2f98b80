"""Reads a suite file into plain frozen records.

A suite is a labelled conversation with checkpoints. Whatever loads has passed both the
shape (``suite_file``) and the checks (``suite_checks``); every fault is an InputError
that opens with the file and the path inside it.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from palimpsest import config, messages
from palimpsest.bench import json_file, suite_file
from palimpsest.config import Config
from palimpsest.errors import ConfigError, InputError
from palimpsest.types import Budget, Label, Message, Role, Tool, Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteTurn:
    """One turn of a suite, and what perfect extraction would do at it."""

    turn: Turn
    label: Label | None = None

    @property
    def number(self) -> int:
        """The turn's number, as the file has it."""
        return self.turn.number


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """A question after a turn, and the exact texts that its request is graded by."""

    after: int
    question: str | None
    required: tuple[str, ...]
    stale: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()

    @property
    def facts(self) -> tuple[str, ...]:
        """Every listed text: required, stale, deleted."""
        return self.required + self.stale + self.deleted


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """A labelled conversation with its checkpoints, budget and settings."""

    name: str
    turns: tuple[SuiteTurn, ...]
    checkpoints: tuple[Checkpoint, ...]
    budget: Budget
    fingerprint: str
    """``sha256:`` of the file's content, whatever its spacing and key order, without its keys:
    they change the grades of answers and nothing that is sent."""
    description: str = ""
    instructions: str | None = None
    tools: tuple[Tool, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    """The tables that the suite lays over the default settings."""
    keys: Mapping[str, Any] | None = None
    """How answers are graded, as the file has it; see ``answers.keys``."""

    def config(self) -> Config:
        """The default settings with those of the suite over them."""
        return config.merge(Config(), self.settings, where=f"{self.name}: settings")


def load(path: Path) -> Suite:
    """Read and check a suite file; raises InputError."""
    text = json_file.text_of(path, "suite file")
    return read(text, where=str(path), name=json_file.name_of(path))


def read(text: str, *, where: str, name: str) -> Suite:
    """Read a suite from JSON text; ``name`` stands in where the file gives none."""
    return parse(json_file.json_of(text, where, "suite file"), where=where, name=name)


def parse(data: object, *, where: str, name: str) -> Suite:
    """Make the checked records from parsed JSON."""
    from palimpsest.bench import suite_checks
    from palimpsest.bench.answers import cases, keys

    if (isinstance(data, list) and data) or (isinstance(data, Mapping) and "cases" in data):
        raise InputError(
            f"{where}: is a set of cases and not a suite; run `palimpsest bench cases {where}`"
        )
    shape = suite_file.read(data, where)
    try:
        made = _records(shape, data, shape.name or name)
        suite_checks.check(made)
        given = keys.of(made.keys, "keys")
        if given is not None:
            listed = cases.of_suite(made)
            keys.check(given, listed, ())
    except (InputError, ConfigError) as error:
        raise InputError(f"{where}: {error}") from None
    return made


def _records(shape: suite_file.SuiteShape, data: object, name: str) -> Suite:
    settings = dict(shape.settings or {})
    if "budget" in settings:
        raise InputError("settings.budget: a suite has its budget at the top; move it there")
    config.merge(Config(), settings, where="settings")
    return Suite(
        name=name,
        description=shape.description or "",
        instructions=_text(shape.instructions, "instructions"),
        tools=messages.tools(shape.tools),
        turns=tuple(turn_of(turn, f"turns[{i}]") for i, turn in enumerate(shape.turns)),
        checkpoints=tuple(
            _checkpoint(point, f"checkpoints[{i}]") for i, point in enumerate(shape.checkpoints)
        ),
        budget=config.budget(shape.budget.model_dump(), "budget"),
        settings=settings,
        keys=shape.keys,
        fingerprint=_fingerprint(data),
    )


def turn_of(shape: suite_file.SpokenTurn | suite_file.MessagesTurn, path: str) -> SuiteTurn:
    """One turn of a file; raises InputError with the path to a fault."""
    if isinstance(shape, suite_file.SpokenTurn):
        said: tuple[Message, ...] = (
            _spoken("user", shape.user, f"{path}.user"),
            _spoken("assistant", shape.assistant, f"{path}.assistant"),
        )
    else:
        said = _given_messages(shape.messages, f"{path}.messages")
    turn = Turn(number=shape.turn, messages=said)
    messages.check_pairs(turn, path)
    return SuiteTurn(turn=turn, label=_label(shape.memory, f"{path}.memory"))


def _spoken(role: Role, value: object, path: str) -> Message:
    content, parts = messages.content_of(value, path)
    if content is None and not parts:
        raise InputError(f"{path}: null is not a text; give the turn as messages instead")
    return Message(role=role, content=content, parts=parts)


def _given_messages(value: object, path: str) -> tuple[Message, ...]:
    said = messages.messages(value, path)
    if not said:
        raise InputError(f"{path}: an empty list; a turn has at least one message")
    for i, item in enumerate(said):
        if item.role == "system":
            raise InputError(
                f"{path}[{i}].role: a system message inside a conversation; "
                "write it as the suite's instructions"
            )
    if said[0].role != "user":
        raise InputError(f"{path}[0].role: a turn opens with the user, this is {said[0].role}")
    return said


def _label(shape: suite_file.LabelShape | None, path: str) -> Label | None:
    if shape is None:
        return None
    _text(shape.attribute, f"{path}.attribute")
    return Label(
        op=shape.op,
        attribute=unicodedata.normalize("NFC", shape.attribute),
        value=_text(shape.value, f"{path}.value"),
    )


def _checkpoint(shape: suite_file.CheckpointShape, path: str) -> Checkpoint:
    for kind in ("required", "stale", "deleted"):
        for i, fact in enumerate(getattr(shape, kind)):
            _text(fact, f"{path}.{kind}[{i}]")
    return Checkpoint(
        after=shape.after,
        question=_text(shape.question, f"{path}.question"),
        required=tuple(shape.required),
        stale=tuple(shape.stale),
        deleted=tuple(shape.deleted),
    )


def _text(value: str | None, path: str) -> str | None:
    # The message reader refuses what cannot be encoded; the same rule holds for our texts.
    return messages.content_of(value, path)[0]


def _fingerprint(data: object) -> str:
    if isinstance(data, Mapping):
        data = {key: value for key, value in data.items() if key != "keys"}
    text = json.dumps(data, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()
