"""The life of one fact in one suite, and its fate in every request of a run.

A fact is named by its listed text, by its attribute, or by a part of either; a name that
fits more than one is never guessed.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Literal

from palimpsest.bench import life
from palimpsest.bench.life import Event
from palimpsest.bench.replay import Replayed
from palimpsest.bench.report_schema import SCHEMA
from palimpsest.bench.sightings import Absence, Sighting, absences, says, sightings
from palimpsest.bench.suite import Checkpoint, Suite
from palimpsest.errors import Ambiguous, NotFound

Listed = Literal["required", "stale", "deleted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What is traced: one fact or the facts of an attribute."""

    facts: tuple[str, ...]
    attribute: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fate:
    """One fact in one request: where it stands, or why it does not."""

    strategy: str
    sightings: tuple[Sighting, ...]
    absences: tuple[Absence, ...]

    @property
    def present(self) -> bool:
        """True where the request holds the fact."""
        return bool(self.sightings)


@dataclass(frozen=True, slots=True, kw_only=True)
class At:
    """One fact at one checkpoint, in every strategy."""

    after: int
    listed: Listed | None
    """How the checkpoint lists it; ``None`` where it does not."""
    fates: tuple[Fate, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FactTrace:
    """One fact over all checkpoints by which it had been said."""

    fact: str
    checkpoints: tuple[At, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """The life of a subject, and its fate in every request."""

    suite: str
    attribute: str | None
    events: tuple[Event, ...]
    facts: tuple[FactTrace, ...]


def subject(suite: Suite, name: str) -> Subject:
    """Resolve a FACT argument; raises Ambiguous or NotFound with what is known."""
    listed = tuple(dict.fromkeys(fact for point in suite.checkpoints for fact in point.facts))
    attributes = tuple(dict.fromkeys(i.label.attribute for i in suite.turns if i.label))
    if name in listed:
        return Subject(facts=(name,), attribute=life.attribute_of(suite, name))
    if name in attributes:
        return Subject(facts=life.facts_of(suite, name), attribute=name)
    wanted = name.casefold().strip()
    for known, kind in ((listed, "facts"), (attributes, "attributes")):
        close = [text for text in known if wanted and wanted in text.casefold()]
        if len(close) == 1:
            return subject(suite, close[0])
        if close:
            candidates = ", ".join(map(repr, close))
            raise Ambiguous(f"{name!r} fits {len(close)} {kind} of {suite.name!r}: {candidates}")
    if wanted and any(says(item.turn, name) for item in suite.turns):
        return Subject(facts=(name,), attribute=life.attribute_of(suite, name))
    raise NotFound(
        f"no fact of {suite.name!r} holds {name!r}, and no turn says it; facts: "
        f"{', '.join(map(repr, listed))}; attributes: {', '.join(attributes) or 'none'}"
    )


def trace(run: Replayed, traced: Subject) -> Trace:
    """Follow a subject through the conversation and through every request of a run."""
    return Trace(
        suite=run.suite.name,
        attribute=traced.attribute,
        events=life.events(run.suite, traced.attribute, traced.facts),
        facts=tuple(
            FactTrace(fact=fact, checkpoints=tuple(_at(run, fact))) for fact in traced.facts
        ),
    )


def _at(run: Replayed, fact: str) -> list[At]:
    found = []
    for place, point in enumerate(run.suite.checkpoints):
        if not any(says(item.turn, fact) for item in run.suite.turns[: point.after]):
            continue
        fates = [_fate(run, key, place, fact) for key in run.rows]
        found.append(At(after=point.after, listed=_listed(point, fact), fates=tuple(fates)))
    return found


def _fate(run: Replayed, key: str, place: int, fact: str) -> Fate:
    entrant = next(entrant for entrant in run.entrants if entrant.key == key)
    row = run.rows[key][place]
    seen = sightings(run, row, fact)
    return Fate(
        strategy=key,
        sightings=seen,
        absences=() if seen else absences(run, entrant, row, fact),
    )


def _listed(point: Checkpoint, fact: str) -> Listed | None:
    if fact in point.required:
        return "required"
    if fact in point.stale:
        return "stale"
    return "deleted" if fact in point.deleted else None


def as_json(found: Trace) -> dict[str, Any]:
    """The trace as JSON."""
    return {"schema": SCHEMA, **dataclasses.asdict(found)}
