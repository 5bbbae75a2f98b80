"""Grades a whole recording against its suite and keys, and sums it up.

A recording of another version of the suite is refused: its answers are to other requests.
Invariant: every answer of the recording has exactly one grade, and every count of a summary
is a count of those grades.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from palimpsest.bench.answers.cases import AnswerCase
from palimpsest.bench.answers.grading import VERDICTS, AnswerGrade, grade
from palimpsest.bench.answers.keys import Keys, check
from palimpsest.bench.report_schema import SCHEMA
from palimpsest.errors import InputError
from palimpsest.models.recordings import GivenAnswer, Recording


@dataclass(frozen=True, slots=True, kw_only=True)
class Graded:
    """One strategy's answers to one case, with their grades, in the recording's order."""

    strategy: str
    case: str
    answers: tuple[GivenAnswer, ...]
    grades: tuple[AnswerGrade, ...]


def grade_all(
    recording: Recording, keys: Keys, cases: Mapping[str, AnswerCase]
) -> tuple[Graded, ...]:
    """Grade every answer; raises InputError where the keys do not fit the cases."""
    asked = dict.fromkeys((given.strategy, given.case) for given in recording.answers)
    unknown = sorted({case for _, case in asked if case not in cases})
    if unknown:
        raise InputError(
            f"the recording answers {unknown[0]!r}, which is no case here; cases: "
            f"{', '.join(cases)}"
        )
    check(keys, cases, {case for _, case in asked})
    markers = recording.head.markers if recording.head is not None else ()
    made = []
    for strategy, case in asked:
        answers = tuple(
            given for given in recording.answers if (given.strategy, given.case) == (strategy, case)
        )
        request = recording.requests.get((strategy, case))
        grades = tuple(grade(cases[case], given, keys, request, markers) for given in answers)
        made.append(Graded(strategy=strategy, case=case, answers=answers, grades=grades))
    return tuple(made)


def same_suite(recording: Recording, name: str, fingerprint: str) -> None:
    """Refuse a recording of another suite or of another version of this one."""
    head = recording.head
    if head is not None and head.suite_hash != fingerprint:
        what = "another version of" if head.suite == name else f"the suite {head.suite!r}, not"
        raise InputError(
            f"the recording is of {what} {name!r} ({head.suite_hash[:19]}..., the suite has "
            f"{fingerprint[:19]}...); record again with `palimpsest answers record`"
        )


def counts(group: Graded) -> dict[str, Any]:
    """What one group comes to."""
    grades = group.grades
    verdicts = Counter(grade.verdict for grade in grades)
    return {
        **{verdict: verdicts[verdict] for verdict in VERDICTS},
        "facts_in_answers": sum(len(grade.found) for grade in grades),
        "facts_required": sum(grade.required for grade in grades),
        "stale_as_current": sum(bool(grade.stale) for grade in grades),
        "forgotten": sum(bool(grade.forgotten) for grade in grades),
        "said_missing": sum(grade.reason == "says-missing" for grade in grades),
        "stopped_at_limit": sum(grade.cut for grade in grades),
        "reasons": dict(sorted(Counter(g.said for g in grades if g.verdict != "pass").items())),
        "missing": _missing(grades),
    }


def _missing(grades: tuple[AnswerGrade, ...]) -> dict[str, dict[str, int]]:
    """Fact to where it was, over the failed answers."""
    found: dict[str, Counter[str]] = {}
    for graded in grades:
        for fact in graded.missing:
            found.setdefault(fact.fact, Counter())[fact.where] += 1
    return {fact: dict(places) for fact, places in found.items()}


def by_strategy(groups: tuple[Graded, ...]) -> dict[str, dict[str, int]]:
    """Over all cases of a strategy: verdicts, and the cases that passed in every trial."""
    made: dict[str, dict[str, int]] = {}
    for group in groups:
        row = made.setdefault(group.strategy, dict.fromkeys((*VERDICTS, *_SUMS), 0))
        for one in group.grades:
            row[one.verdict] += 1
            row["said_missing"] += one.reason == "says-missing"
            row["stale_as_current"] += bool(one.stale)
            row["forgotten"] += bool(one.forgotten)
        row["cases_passed_every_trial"] += all(g.verdict == "pass" for g in group.grades)
    return made


_SUMS = ("said_missing", "stale_as_current", "forgotten", "cases_passed_every_trial")


def report(recording: Recording, groups: tuple[Graded, ...], suite: str) -> dict[str, Any]:
    """The grades as JSON."""
    head = recording.head
    return {
        "schema": SCHEMA,
        "suite": suite,
        "model": dataclasses.asdict(head.model) if head is not None else None,
        "sampling": dataclasses.asdict(head.sampling) if head is not None else None,
        "tokenizer": head.tokenizer if head is not None else None,
        "strategies": by_strategy(groups),
        "summary": {group.strategy: _cases(groups, group.strategy) for group in groups},
        "graded": [
            {"strategy": group.strategy, "case": group.case,
             "grades": [_row(grade) for grade in group.grades]}
            for group in groups
        ],
    }  # fmt: skip


def _cases(groups: tuple[Graded, ...], strategy: str) -> dict[str, Any]:
    return {group.case: counts(group) for group in groups if group.strategy == strategy}


def _row(grade: AnswerGrade) -> dict[str, Any]:
    row: dict[str, Any] = {"seed": grade.seed, "verdict": grade.verdict, "reason": grade.said}
    if grade.missing:
        row["missing"] = {fact.fact: fact.where for fact in grade.missing}
    for key in ("stale", "forgotten"):
        if getattr(grade, key):
            row[key] = list(getattr(grade, key))
    if grade.cut:
        row["stopped_at_limit"] = True
    return row
