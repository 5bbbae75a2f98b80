"""What a page needs beside the grades: each fact's life and fate, and what is stored.

Every text is an index into the table of texts that the requests share, so a report with
six strategies holds a sentence once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from palimpsest.bench import life
from palimpsest.bench.grade import text_of
from palimpsest.bench.replay import Replayed
from palimpsest.bench.trace import At, Fate, Subject, trace
from palimpsest.types import Message, Policy

Place = Callable[[str], int]
"""Gives a text its index."""


def evidence(run: Replayed, place: Place) -> dict[str, Any]:
    """The keys ``turns``, ``facts``, ``memories`` and ``policies`` of one suite."""
    listed = dict.fromkeys(fact for point in run.suite.checkpoints for fact in point.facts)
    return {
        "description": run.suite.description,
        "turns": [_turn(item.turn.messages, place) for item in run.suite.turns],
        "facts": [_fact(run, fact, place) for fact in listed],
        "memories": _memories(run, place),
        "policies": {entrant.key: entrant.policy for entrant in run.entrants},
        "bound": [
            entrant.key for entrant in run.entrants
            if entrant.strategy.memory and entrant.policy == "managed"
        ],
    }  # fmt: skip


def _turn(messages: Sequence[Message], place: Place) -> list[dict[str, Any]]:
    return [{"role": message.role, "text": place(text_of(message))} for message in messages]


def _fact(run: Replayed, fact: str, place: Place) -> dict[str, Any]:
    attribute = life.attribute_of(run.suite, fact)
    found = trace(run, Subject(facts=(fact,), attribute=attribute))
    return {
        "fact": fact,
        "attribute": attribute,
        "events": [
            {"turn": e.turn, "kind": e.kind, "role": e.role, "text": place(e.text)}
            for e in found.events
        ],
        "checkpoints": [_at(at, place) for at in found.facts[0].checkpoints],
    }


def _at(at: At, place: Place) -> dict[str, Any]:
    return {
        "after": at.after,
        "listed": at.listed,
        "fates": {fate.strategy: _fate(fate, place) for fate in at.fates},
    }


def _fate(fate: Fate, place: Place) -> dict[str, Any]:
    return {
        "in": [
            {"message": s.message, "part": s.part, "turn": s.turn}
            for s in fate.sightings
        ],
        "out": [{"code": a.code, "text": place(a.text)} for a in fate.absences],
    }  # fmt: skip


def _memories(run: Replayed, place: Place) -> dict[Policy, dict[str, dict[str, Any]]]:
    """The words of every memory that a store held at a checkpoint, by policy and id."""
    made: dict[Policy, dict[str, dict[str, Any]]] = {}
    for (policy, _), facts in run.facts.items():
        rows = made.setdefault(policy, {})
        for memory in facts:
            rows[str(memory.id)] = {
                "text": place(memory.text), "attribute": memory.attribute, "turn": memory.turn,
            }  # fmt: skip
    return made
