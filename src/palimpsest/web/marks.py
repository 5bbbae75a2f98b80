"""How the fate of a fact at a checkpoint looks: a state, a sign and a word for each.

Invariant: a state differs from every other by its sign and its word, not by colour alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

State = Literal["kept", "missing", "stale", "leaked", "clear", "unasked"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """One state as it is drawn and read out."""

    state: State
    sign: str
    word: str


MARKS: dict[State, Mark] = {
    mark.state: mark
    for mark in (
        Mark(state="kept", sign="●", word="required and there"),
        Mark(state="missing", sign="○", word="required and missing"),
        Mark(state="stale", sign="▲", word="replaced and still there"),
        Mark(state="leaked", sign="✖", word="forgotten and still there"),
        Mark(state="clear", sign="·", word="replaced or forgotten, and not there"),
        Mark(state="unasked", sign="", word="not asked for"),
    )
}
FINDINGS: frozenset[State] = frozenset({"missing", "stale", "leaked"})


def state_of(listed: str | None, present: bool) -> State:
    """The state of a fact that a checkpoint lists as required, stale or deleted."""
    if listed == "required":
        return "kept" if present else "missing"
    if listed == "stale":
        return "stale" if present else "clear"
    if listed == "deleted":
        return "leaked" if present else "clear"
    return "unasked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding:
    """A message that holds a fact."""

    message: int
    part: str
    turn: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """Where a request holds a fact, or the reasons why it does not."""

    places: tuple[Holding, ...] = ()
    reasons: tuple[str, ...] = ()
    """In the words of the report; none where no turn said it yet."""


def why_of(fate: Mapping[str, Any], texts: Sequence[str]) -> Why:
    """The places or the reasons of one fate of a report."""
    places = (
        Holding(message=seen["message"] + 1, part=seen["part"], turn=seen["turn"])
        for seen in fate["in"]
    )
    return Why(
        places=tuple(dict.fromkeys(places)),
        reasons=() if fate["in"] else tuple(texts[absence["text"]] for absence in fate["out"]),
    )
