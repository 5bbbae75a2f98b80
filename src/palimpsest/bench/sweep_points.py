"""The points of the sweeps for one suite, and what they say of it.

A budget sweep repeats every strategy of the run; a Spec sweep runs its own. A point whose
budget leaves no input space is kept and says so.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence

from palimpsest import registry
from palimpsest.bench.replay import Entrant, Replayed, Row, Variant, Varied, enter
from palimpsest.bench.sweep import BudgetSweep, SpecSweep
from palimpsest.errors import InputError
from palimpsest.types import Budget

_NAMED = 3
"""Facts that a sentence names; more are counted."""


def variants(
    sweeps: Sequence[BudgetSweep | SpecSweep], entrants: Sequence[Entrant], budget: Budget
) -> tuple[Variant, ...]:
    """Every point of every sweep, in order.

    Raises SpecError for an unknown strategy, and InputError where no point of a sweep leaves
    any input space: such a sweep would measure nothing.
    """
    found: list[Variant] = []
    for sweep in sweeps:
        if isinstance(sweep, BudgetSweep):
            points = [_at(sweep, value, tuple(entrants), budget) for value in sweep.values]
            if all(point.refused for point in points):
                raise InputError(f"--sweep {sweep.text}: no point can be run ({points[0].refused})")
            found += points
        else:
            found += _specs(sweep, budget)
    return tuple(found)


def _at(sweep: BudgetSweep, value: int, entrants: tuple[Entrant, ...], budget: Budget) -> Variant:
    label = f"{sweep.key}={value}"
    made = Variant(sweep=sweep.text, label=label, entrants=entrants)
    try:
        changed = {"window": budget.window, "answer": budget.answer, "margin": budget.margin}
        return dataclasses.replace(made, budget=Budget(**{**changed, sweep.key: value}))
    except InputError as error:
        return dataclasses.replace(made, refused=str(error))


def _specs(sweep: SpecSweep, budget: Budget) -> Iterator[Variant]:
    for spec in sweep.specs:
        text = registry.render(spec)
        (entrant,) = enter([text])
        yield Variant(sweep=sweep.text, label=text, entrants=(entrant,), budget=budget)


def by_sweep(run: Replayed) -> Mapping[str, list[Varied]]:
    """The points of a run by the text of their sweep."""
    found: dict[str, list[Varied]] = {}
    for varied in run.varied:
        found.setdefault(varied.variant.sweep, []).append(varied)
    return found


def conclusions(points: Sequence[Varied]) -> Iterator[str]:
    """What a sweep shows, a sentence for each strategy: what it first loses, and in all."""
    built = [point for point in points if point.rows]
    if len(built) < 2:
        return
    for key in built[0].rows:
        if all(key in point.rows for point in built):
            yield f"{key} {_cost(key, built)}"


def _cost(key: str, points: Sequence[Varied]) -> str:
    found = [_held(point.rows[key]) for point in points]
    changed = next((place for place, held in enumerate(found) if held != found[0]), None)
    if changed is None:
        return f"finds the same {len(found[0])} required facts at every point"
    lost, won = found[0] - found[changed], found[changed] - found[0]
    told = [f"loses {_named(lost)}"] if lost else []
    told += [f"finds {_named(won)}"] if won else []
    labels = _labels(points)
    return (
        f"finds the same {len(found[0])} required facts up to {labels[changed - 1]}; at "
        f"{labels[changed]} it {' and '.join(told)}, and at {labels[-1]} it finds {len(found[-1])}"
    )


def _labels(points: Sequence[Varied]) -> list[str]:
    """The labels, with the input budget where the points differ in it."""
    inputs = [point.variant.budget.input if point.variant.budget else 0 for point in points]
    if len(set(inputs)) == 1:
        return [point.variant.label for point in points]
    return [f"{p.variant.label} (input {size})" for p, size in zip(points, inputs, strict=True)]


def _held(rows: Sequence[Row]) -> frozenset[tuple[int, str]]:
    """The required facts that were found, each with its checkpoint."""
    return frozenset(
        (row.after, fact)
        for row in rows
        for fact in row.grade.places
        if fact not in row.grade.stale and fact not in row.grade.deleted
    )


def _named(facts: frozenset[tuple[int, str]]) -> str:
    if len(facts) > _NAMED:
        return f"{len(facts)} facts"
    return ", ".join(f"{fact!r} at turn {after}" for after, fact in sorted(facts))
