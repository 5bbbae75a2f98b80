"""The findings of a run, a line each: what leaked, what is missing, what is clean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from palimpsest.bench.life import end_of
from palimpsest.bench.replay import Replayed, Row

Severity = Literal["forgotten", "stale", "missing", "clean"]
_NAMED = 2
"""A strategy that misses more facts than this gets their number, not their names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One line about one strategy."""

    strategy: str
    severity: Severity
    text: str


def findings(run: Replayed) -> tuple[Finding, ...]:
    """Every leak, then what is missing, per strategy in the order of the run."""
    return tuple(found for key, rows in run.rows.items() for found in _of(run, key, rows))


def _of(run: Replayed, key: str, rows: Sequence[Row]) -> Iterator[Finding]:
    leaks = [*_leaks(run, key, rows, "forgotten"), *_leaks(run, key, rows, "stale")]
    yield from leaks
    missing = [(row.after, fact) for row in rows for fact in row.grade.missing]
    if missing:
        text = f"{key} {_missing(rows, missing)}"
        yield Finding(strategy=key, severity="missing", text=text)
    elif not leaks:
        needed = sum(row.grade.required for row in rows)
        facts = "fact" if needed == 1 else "facts"
        yield Finding(
            strategy=key,
            severity="clean",
            text=f"{key} sends all {needed} required {facts} and nothing replaced or forgotten",
        )


def _leaks(run: Replayed, key: str, rows: Sequence[Row], kind: Severity) -> Iterator[Finding]:
    by_fact: dict[str, list[int]] = {}
    for row in rows:
        for fact in row.grade.deleted if kind == "forgotten" else row.grade.stale:
            by_fact.setdefault(fact, []).append(row.after)
    for fact, turns in by_fact.items():
        end = end_of(run.suite, fact, turns[0])
        why = f"{end.kind} at turn {end.turn}" if end else f"listed as {kind}"
        yield Finding(
            strategy=key,
            severity=kind,
            text=f"{key} still sends {fact!r} {_at(turns)}: {why}",
        )


def _missing(rows: Sequence[Row], missing: Sequence[tuple[int, str]]) -> str:
    by_fact: dict[str, list[int]] = {}
    for after, fact in missing:
        by_fact.setdefault(fact, []).append(after)
    if len(by_fact) <= _NAMED:
        told = (f"{fact!r} {_at(turns)}" for fact, turns in by_fact.items())
        return f"misses {' and '.join(told)}"
    empty = [row.after for row in rows if row.grade.required and not row.grade.found]
    none = f"; none is left {_at(empty)}" if empty else ""
    needed = sum(row.grade.required for row in rows)
    return f"misses {len(missing)} of {needed} required facts{none}"


def _at(turns: Sequence[int]) -> str:
    if len(turns) == 1:
        return f"at turn {turns[0]}"
    return f"at turns {', '.join(map(str, turns[:-1]))} and {turns[-1]}"
