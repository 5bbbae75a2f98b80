"""The budget of one request as a bar to scale: every token is in one piece of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

ORDER = ("instructions", "tools", "rules", "facts", "summary", "notes", "turns", "question")
"""The parts of a request from its beginning to its end; ``frame`` and others follow."""
FREE, BETWEEN = "free", "between parts"


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One part of a bar; ``x`` and ``width`` are tokens."""

    part: str
    x: int
    width: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One request."""

    strategy: str
    after: int
    tokens: int
    budget: int
    pieces: tuple[Piece, ...]
    target: str


def bars(report: Mapping[str, Any], prefix: str, places: Sequence[int]) -> tuple[Bar, ...]:
    """One bar a request of the checkpoints of ``places``, strategy by strategy."""
    budget = report["input_budget"]
    made = []
    for at, (strategy, rows) in enumerate(report["checkpoints"].items()):
        details = report["details"][strategy]
        for place in places:
            row, detail = rows[place], details[place]
            made.append(
                Bar(
                    strategy=strategy, after=row["after"], tokens=row["input_tokens"],
                    budget=budget, pieces=pieces(detail["parts"], row["input_tokens"], budget),
                    target=f"{prefix}r{at}-{place}",
                )
            )  # fmt: skip
    return tuple(made)


def pieces(parts: Mapping[str, int], tokens: int, budget: int) -> tuple[Piece, ...]:
    """The parts that took tokens, in order, then what the frame took, then what is free."""
    named = [name for name in ORDER if parts.get(name)]
    named += [name for name in parts if name not in ORDER and parts[name]]
    found, x = [], 0
    for name in named:
        found.append(Piece(part=name, x=x, width=parts[name]))
        x += parts[name]
    if tokens > x:
        # Where a template folds parts together the sum of parts is less than the whole.
        found.append(Piece(part=BETWEEN, x=x, width=tokens - x))
        x = tokens
    if budget > x:
        found.append(Piece(part=FREE, x=x, width=budget - x))
    return tuple(found)
