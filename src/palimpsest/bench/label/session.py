"""From a file of conversations to checked suites: read, mask, propose, merge, check, scan.

Invariant: nothing is written here, and what is returned passed the checks of a suite and a
scan in which no masked original was found.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from palimpsest import registry
from palimpsest.bench import suite
from palimpsest.bench.label import conversations
from palimpsest.bench.label.conversations import Talk
from palimpsest.bench.label.labelled import Labelled, labelled
from palimpsest.bench.label.masked_talk import masked, texts_of
from palimpsest.bench.label.masking import Mask, mask_of
from palimpsest.bench.label.merging import hashes_of, merged
from palimpsest.bench.label.proposing import propose
from palimpsest.bench.label.suite_data import label_data, suite_data
from palimpsest.bench.suite import Suite
from palimpsest.errors import InputError
from palimpsest.language import json_texts
from palimpsest.protocols import Extractor
from palimpsest.types import Budget

KIND, SCHEMA = "palimpsest labels", 1
Step = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """How suites are to be made."""

    extractor: str = "rules"
    mask: tuple[str, ...] = ()
    """Texts that are personal too."""
    keep: tuple[str, ...] = ()
    """Texts that are not."""
    budget: Budget | None = None
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Before:
    """What an earlier run, and the person after it, left for one conversation."""

    data: Mapping[str, Any]
    parts: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """One suite, with what stands beside it."""

    data: dict[str, Any]
    sidecar: dict[str, Any]
    notes: tuple[tuple[int, str], ...]
    kept: tuple[str, ...] = ()
    """The parts that a person had corrected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """Every suite of a file, and the mask that they share."""

    made: tuple[Made, ...]
    mask: Mask
    silent: tuple[int, ...] = field(default=())
    """Conversations, counted from 1, of which nothing could be proposed."""


def make(
    path: Path,
    wanted: Wanted,
    before: Callable[[int, int], Before | None] = lambda place, of: None,
    step: Step = lambda name, done, of: None,
) -> Session:
    """Make the suites of a file; ``before(place, of)`` gives what an earlier run left."""
    extractor: Extractor = registry.load("extractors", registry.parse(wanted.extractor))
    try:
        talks = [_answered(talk) for talk in conversations.read(path)]
        talks = [talk for talk in talks if talk.turns]
        if not talks:
            raise InputError(f"{path}: no turn in it was answered, so there is nothing to replay")
        texts = [text for talk in talks for text in texts_of(talk)]
        mask = mask_of(texts, also=wanted.mask, keep=wanted.keep)
        made: list[Made] = []
        silent: list[int] = []
        for place, talk in enumerate(talks, 1):
            name = _name(path, wanted, mask, place, len(talks))
            found = _made(talk, mask, extractor, wanted, name, before(place, len(talks)), step)
            made.append(found)
            if not found.data["checkpoints"]:
                silent.append(place)
    finally:
        close = getattr(extractor, "close", None)
        if close is not None:
            close()
    return Session(made=tuple(made), mask=mask, silent=tuple(silent))


def _answered(talk: Talk) -> Talk:
    """Without a last turn that waits for its answer: the question of a checkpoint follows it."""
    turns = talk.turns[:-1] if talk.turns and talk.turns[-1].open else talk.turns
    return dataclasses.replace(talk, turns=turns)


def _name(path: Path, wanted: Wanted, mask: Mask, place: int, of: int) -> str:
    name = wanted.name or mask.title(path.name.split(".")[0]) or "conversation"
    return name if of == 1 else f"{name}-{place}"


def _made(
    talk: Talk,
    mask: Mask,
    extractor: Extractor,
    wanted: Wanted,
    name: str,
    before: Before | None,
    step: Step,
) -> Made:
    shown = masked(talk, mask.text)
    proposed = propose(shown.turns, extractor, lambda done, of: step(name, done, of))
    found = labelled(shown, proposed)
    data = suite_data(shown, found, name=name, extractor=wanted.extractor, budget=wanted.budget)
    sidecar = _sidecar(found, wanted, mask, hashes_of(data))
    if before is None:
        return Made(data=data, sidecar=sidecar, notes=found.notes)
    both = merged(data, before.data, before.parts)
    return Made(data=both.data, sidecar=sidecar, notes=found.notes, kept=both.kept)


def _sidecar(
    found: Labelled, wanted: Wanted, mask: Mask, parts: Mapping[str, str]
) -> dict[str, Any]:
    """What the suite has no place for: kind, statement and rule of each label, and the notes."""
    return {
        "schema": SCHEMA,
        "kind": KIND,
        "extractor": wanted.extractor,
        "masked": mask.counts,
        "labels": [
            {
                "turn": turn, **label_data(label), "kind": found.events[turn].kind,
                "statement": found.events[turn].statement, "rule": found.events[turn].rule,
            }
            for turn, label in found.labels.items()
        ],
        "checkpoints": [{"after": point.after, "why": point.why} for point in found.points],
        "notes": [{"turn": turn, "note": note} for turn, note in found.notes],
        "parts": dict(parts),
    }  # fmt: skip


def checked(data: Mapping[str, Any], where: str) -> Suite:
    """The suite that a run would read; raises InputError with the path to a fault."""
    if not data["checkpoints"]:
        raise InputError(
            f"{where}: has no checkpoint: nothing was stated that the extractor reads. Try "
            "another with --extractor, or write labels and checkpoints yourself with --edit"
        )
    # As text: what is checked is what a file of it would hold.
    return suite.read(json.dumps(data), where=where, name=str(data.get("name") or "suite"))


def scan(mask: Mask, outputs: Sequence[tuple[str, Any]]) -> None:
    """Look for every masked original in what is to be written; raises InputError."""
    for where, value in outputs:
        texts = [(where, text) for text in json_texts.texts(value)]
        for leak in mask.leaks(texts):
            raise InputError(
                f"{leak.where}: would hold a real {leak.kind}, so nothing was written; if it came "
                "in by a correction take it out, or name it with --mask TEXT (or, if it is nobody's, "
                "--keep TEXT)"
            )


def outputs_of(made: Made, where: str) -> list[tuple[str, Any]]:
    """Everything of a suite that is written, by the place where it stands."""
    data = made.data
    head = {k: v for k, v in data.items() if k not in ("turns", "checkpoints", "description")}
    found: list[tuple[str, Any]] = [(where, head)]
    found += [(f"{where}: turn {turn['turn']}", turn) for turn in data["turns"]]
    found += [(f"{where}: checkpoint after {p['after']}", p) for p in data["checkpoints"]]
    return [*found, (f"{where}: notes", [made.sidecar["labels"], made.sidecar["notes"]])]
