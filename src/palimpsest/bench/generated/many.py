"""Writes one conversation of very many facts, of which each checkpoint needs three.

Invariant: at the end at least ``facts`` facts are current, and every statement, correction
and forget is labelled. It is there to measure recall: no request can hold them all.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import ceil
from typing import Any

from palimpsest.bench.generated.templates import language
from palimpsest.bench.generated.themes import NAMES, THEMES, THINGS, Thing
from palimpsest.errors import InputError

_CORRECTED = 8
"""One fact in so many is corrected later."""
_FORGOTTEN = 24
"""One fact in so many is taken back later."""
_CHAT = 5
"""One turn of small talk after so many facts, on average."""
MOST = 400


@dataclass(slots=True)
class _Life:
    person: str
    thing: Thing
    value: str = ""
    replaced: list[str] = field(default_factory=list)
    forgotten: list[str] = field(default_factory=list)

    @property
    def attribute(self) -> str:
        return f"{self.person}.{self.thing.attribute}"


def many(*, seed: int, facts: int, name: str = "", checkpoints: int = 24) -> dict[str, Any]:
    """A suite with ``facts`` facts or more that are current at its end; raises InputError."""
    if not 24 <= facts <= MOST:
        raise InputError(f"facts: {facts} is not from 24 to {MOST}")
    return _Writer(seed, facts, name, checkpoints).suite()


class _Writer:
    def __init__(self, seed: int, facts: int, name: str, checkpoints: int) -> None:
        self.chance = random.Random(seed)  # noqa: S311 - it has to repeat itself
        self.seed = seed
        self.facts = facts
        self.name = name or f"generated-{facts}-facts-{seed}"
        self.asked = checkpoints
        self.spoken = language("en")
        self.values = {thing.attribute: self._shuffled(thing) for thing in THINGS}
        self.turns: list[dict[str, Any]] = []
        self.checkpoints: list[dict[str, Any]] = []

    def _shuffled(self, thing: Thing) -> Iterator[str]:
        glue = "" if thing.second[0].startswith("-") else " "
        whole = [f"{a}{glue}{b}" for a in thing.first for b in thing.second]
        self.chance.shuffle(whole)
        return iter(whole)

    def suite(self) -> dict[str, Any]:
        """The whole suite as JSON data."""
        lives = self._lives()
        steps = self._steps(lives)
        middle = {len(steps) * k // 4 for k in (1, 2, 3)}
        for place, (life, step) in enumerate(steps):
            if self.chance.random() < 1 / _CHAT:
                self._small_talk()
            self._step(life, step)
            if place in middle:
                self._checkpoint(lives)
        for _ in range(self.asked - len(middle)):
            self._small_talk()
            self._checkpoint(lives)
        current = sum(bool(life.value) for life in lives)
        return {
            "name": self.name,
            "description": f"A generated chat, seed {self.seed}: {current} facts are current at "
            "the end, and each checkpoint needs three of them.",
            "instructions": "Answer from the conversation and the stored memories.",
            "turns": self.turns,
            "checkpoints": self.checkpoints,
            "budget": {"window": 640, "answer": 128, "margin": 32},
        }

    def _lives(self) -> list[_Life]:
        count = ceil(self.facts * _FORGOTTEN / (_FORGOTTEN - 1) / len(THINGS)) + 1
        people = self.chance.sample(NAMES, min(count, len(NAMES)))
        return [_Life(person=person, thing=thing) for person in people for thing in THINGS]

    def _steps(self, lives: list[_Life]) -> list[tuple[_Life, str]]:
        """Every step in the order in which it is said; a fact changes long after it was said."""
        order = list(lives)
        self.chance.shuffle(order)
        placed: list[tuple[float, _Life, str]] = []
        for place, life in enumerate(order):
            at = place / len(order)
            placed.append((at, life, "state"))
            later = at + (1 - at) * self.chance.uniform(0.15, 1.0)
            if place % _CORRECTED == 3:
                placed.append((later, life, "correct"))
            elif place % _FORGOTTEN == 5:
                placed.append((later, life, "forget"))
        return [(life, step) for _, life, step in sorted(placed, key=lambda item: item[0])]

    def _step(self, life: _Life, step: str) -> None:
        if step == "forget":
            said = life.thing.forget.format(p=life.person)
            self._say(said, "Done.", {"op": "forget", "attribute": life.attribute})
            life.forgotten, life.value = [life.value], ""
            return
        if step == "correct":
            life.replaced.append(life.value)
        life.value = next(self.values[life.thing.attribute])
        forms = life.thing.corrected if step == "correct" else life.thing.stated
        said = self.chance.choice(forms).format(p=life.person, v=life.value)
        if self.chance.random() < 0.2:
            said += self.chance.choice(self.spoken.closers)
        op = "correct" if step == "correct" else "remember"
        label = {"op": op, "attribute": life.attribute, "value": life.value}
        self._say(said, self.chance.choice(self.spoken.acks), label)

    def _small_talk(self) -> None:
        self._say(*self.chance.choice(self.spoken.chat))

    def _say(self, user: str, assistant: str, label: dict[str, str] | None = None) -> None:
        turn: dict[str, Any] = {"turn": len(self.turns) + 1, "user": user, "assistant": assistant}
        if label is not None:
            turn["memory"] = label
        self.turns.append(turn)

    def _checkpoint(self, lives: list[_Life]) -> None:
        """Ask one thing about one person of whom most of what it needs is current."""
        theme = self.chance.choice(list(THEMES.values()))
        names = {thing.attribute for thing in theme.things}
        known: dict[str, list[_Life]] = {}
        for life in lives:
            if life.thing.attribute in names and life.value:
                known.setdefault(life.person, []).append(life)
        most = max(map(len, known.values()))
        full = sorted(p for p, found in known.items() if len(found) == most)
        # Whoever something changed about is asked about more often than chance would have it.
        changed = [p for p in full if any(life.replaced for life in known[p])]
        person = self.chance.choice(changed if changed and self.chance.random() < 0.5 else full)
        mine = known[person]
        self.checkpoints.append(
            {
                "after": len(self.turns),
                "question": theme.question.format(p=person),
                "required": [life.value for life in mine],
                "stale": [value for life in lives for value in life.replaced],
                "deleted": [value for life in lives for value in life.forgotten],
            }
        )
