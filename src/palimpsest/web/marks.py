"""How the fate of a fact at a checkpoint looks: a state, a sign and a word for each.

Invariant: a state differs from every other by its sign and its word, not by colour alone.
"""

from __future__ import annotations

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


def fate_text(fate: dict[str, Any], texts: list[str]) -> str:
    """Where a request holds a fact, or why it does not, in words."""
    if fate["in"]:
        places = []
        for seen in fate["in"]:
            turn = f" (turn {seen['turn']})" if seen["turn"] is not None else ""
            places.append(f"message {seen['message'] + 1}, {seen['part']}{turn}")
        return "in " + "; ".join(dict.fromkeys(places))
    return "; ".join(texts[absence["text"]] for absence in fate["out"]) or "no turn said it yet"
