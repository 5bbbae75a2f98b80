"""The fact matrix: facts down, checkpoints across, one block a strategy.

Invariant: every listed fact has one cell in every request, and every cell says why.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from palimpsest.web.marks import MARKS, Mark, Why, state_of, why_of

LINE_WIDTH = 240
"""Units of the life line's drawing; its turns are spread over them."""
_MARGIN = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One fact in one request."""

    mark: Mark
    strategy: str
    after: int
    why: Why
    target: str
    """The anchor of the request in the page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LifeMark:
    """One turn in the life of a fact, at a place of the line."""

    x: float
    turn: int
    kind: str
    role: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FactRow:
    """A fact, its life and its cells, strategy by strategy."""

    fact: str
    attribute: str | None
    life: tuple[LifeMark, ...]
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    """Strategies and checkpoints across, facts down."""

    strategies: tuple[str, ...]
    checkpoints: tuple[int, ...]
    rows: tuple[FactRow, ...]


def matrix(report: Mapping[str, Any], prefix: str, places: Sequence[int]) -> Matrix:
    """The matrix of one suite at the checkpoints of ``places``.

    Request ``r0-2`` is that of the first strategy at its third checkpoint; ``prefix`` tells
    suites apart.
    """
    strategies = tuple(report["checkpoints"])
    rows_of = next(iter(report["checkpoints"].values()), ())
    afters = tuple(rows_of[place]["after"] for place in places)
    turns = max(len(report["turns"]), 1)
    rows = tuple(
        FactRow(
            fact=fact["fact"], attribute=fact["attribute"],
            life=tuple(_mark(event, turns, report["texts"]) for event in fact["events"]),
            cells=tuple(
                _cell(fact, strategy, after, f"{prefix}r{at}-{place}", report["texts"])
                for at, strategy in enumerate(strategies)
                for place, after in zip(places, afters, strict=True)
            ),
        )
        for fact in report["facts"]
    )  # fmt: skip
    return Matrix(strategies=strategies, checkpoints=afters, rows=rows)


def _mark(event: Mapping[str, Any], turns: int, texts: list[str]) -> LifeMark:
    x = _MARGIN + (LINE_WIDTH - 2 * _MARGIN) * (event["turn"] - 1) / max(turns - 1, 1)
    return LifeMark(
        x=round(x, 1), turn=event["turn"], kind=event["kind"], role=event["role"],
        text=texts[event["text"]],
    )  # fmt: skip


def _cell(
    fact: Mapping[str, Any], strategy: str, after: int, target: str, texts: list[str]
) -> Cell:
    at = next((found for found in fact["checkpoints"] if found["after"] == after), None)
    if at is None:
        mark, why = MARKS["unasked"], Why()
    else:
        fate = at["fates"][strategy]
        mark = MARKS[state_of(at["listed"], bool(fate["in"]))]
        why = why_of(fate, texts)
    return Cell(mark=mark, strategy=strategy, after=after, why=why, target=target)
