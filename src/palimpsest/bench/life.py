"""The life of a fact inside a suite: who stated it, repeated it, replaced or withdrew it.

It reads the turns and their labels only; what a request made of them is told in
``sightings``. A fact belongs to the attribute of the labelled turn whose user said it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from palimpsest.bench.suite import Suite, SuiteTurn
from palimpsest.types import Role

EventKind = Literal["stated", "restated", "repeated", "corrected", "asked to forget", "quoted"]
EndKind = Literal["replaced", "forgotten"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One turn in the life of a fact, and the words that did it."""

    turn: int
    kind: EventKind
    role: Role
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """Where a statement stopped being current."""

    turn: int
    kind: EndKind


def attribute_of(suite: Suite, fact: str) -> str | None:
    """The attribute that a fact states; ``None`` where no labelled turn says it."""
    for item in suite.turns:
        if item.label is not None and item.label.op != "forget" and _states(item, fact):
            return item.label.attribute
    return None


def facts_of(suite: Suite, attribute: str) -> tuple[str, ...]:
    """The listed facts of an attribute; its statements where no checkpoint lists one."""
    listed = dict.fromkeys(fact for point in suite.checkpoints for fact in point.facts)
    owned = tuple(fact for fact in listed if attribute_of(suite, fact) == attribute)
    return owned or tuple(
        dict.fromkeys(
            item.turn.user
            for item in suite.turns
            if item.label is not None
            and item.label.attribute == attribute
            and item.label.op != "forget"
        )
    )


def end_of(suite: Suite, fact: str, after: int) -> End | None:
    """What made a fact not current any more at a checkpoint; ``None`` while it holds."""
    attribute = attribute_of(suite, fact)
    end: End | None = None
    for item in suite.turns[:after]:
        label = item.label
        if label is None or label.attribute != attribute:
            continue
        if label.op == "forget":
            end = End(turn=item.number, kind="forgotten")
        elif _states(item, fact):
            end = None
        elif end is None:
            end = End(turn=item.number, kind="replaced")
    return end


def events(suite: Suite, attribute: str | None, facts: tuple[str, ...]) -> tuple[Event, ...]:
    """The turns that touch an attribute or say one of the facts, in their order."""
    found: list[Event] = []
    state: Literal["unsaid", "current", "forgotten"] = "unsaid"
    for item in suite.turns:
        label = item.label if item.label and item.label.attribute == attribute else None
        if label is not None:
            kind = _kind(label.op, state)
            state = "forgotten" if label.op == "forget" else "current"
            found.append(Event(turn=item.number, kind=kind, role="user", text=item.turn.user))
        found += _mentions(item, facts, skip_user=label is not None)
    return tuple(found)


def _kind(op: str, state: str) -> EventKind:
    if op == "forget":
        return "asked to forget"
    if op == "correct":
        return "corrected"
    if state == "forgotten":
        return "restated"
    return "repeated" if state == "current" else "stated"


def _mentions(item: SuiteTurn, facts: tuple[str, ...], *, skip_user: bool) -> Iterator[Event]:
    for message in item.turn.messages:
        if message.role == "user" and skip_user:
            continue
        for text in message.texts():
            if any(fact in text for fact in facts):
                yield Event(turn=item.number, kind="quoted", role=message.role, text=text)


def _states(item: SuiteTurn, fact: str) -> bool:
    return any(
        fact in text
        for message in item.turn.messages
        if message.role == "user"
        for text in message.texts()
    )
