"""Answers with their grades: what was said, and the sentence that says why it failed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from palimpsest.bench.answers.grading import Verdict
from palimpsest.bench.answers.session import Grading

SIGNS: dict[Verdict, str] = {"pass": "●", "fail": "✖", "incomplete": "○"}


@dataclass(frozen=True, slots=True, kw_only=True)
class GradedAnswer:
    """One answer."""

    seed: int
    verdict: Verdict
    sign: str
    said: str
    """Why: the sentence of the grader."""
    answer: str
    pieces: tuple[tuple[str, str], ...]
    """The answer cut where a required, replaced or forgotten fact stands, each with which."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerGroup:
    """The answers of one strategy to one case."""

    strategy: str
    case: str
    passed: int
    answers: tuple[GradedAnswer, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """A recording, graded; failures first."""

    suite: str
    model: str
    passed: int
    total: int
    groups: tuple[AnswerGroup, ...]


def answers(grading: Grading) -> Answers:
    """The context of a graded recording."""
    groups = tuple(_groups(grading))
    head = grading.recording.head
    return Answers(
        suite=grading.suite, model=head.model.model if head is not None else "unknown",
        passed=sum(group.passed for group in groups),
        total=sum(len(group.answers) for group in groups), groups=groups,
    )  # fmt: skip


def _groups(grading: Grading) -> Iterator[AnswerGroup]:
    for group in grading.groups:
        made = [
            GradedAnswer(
                seed=grade.seed, verdict=grade.verdict, sign=SIGNS[grade.verdict],
                said=grade.said, answer=given.answer,
                pieces=_pieces(
                    given.answer,
                    {
                        **dict.fromkeys(grade.found, "kept"),
                        **dict.fromkeys(grade.stale, "stale"),
                        **dict.fromkeys(grade.forgotten, "leaked"),
                    },
                ),
            )
            for given, grade in zip(group.answers, group.grades, strict=True)
        ]  # fmt: skip
        made.sort(key=lambda one: (one.verdict == "pass", one.seed))
        yield AnswerGroup(
            strategy=group.strategy, case=group.case, answers=tuple(made),
            passed=sum(one.verdict == "pass" for one in made),
        )  # fmt: skip


def _pieces(answer: str, facts: dict[str, str]) -> tuple[tuple[str, str], ...]:
    """Cut at the first place of each fact that the answer says word for word."""
    found: list[tuple[str, str]] = []
    at = 0
    places = sorted(
        (place, place + len(fact), state)
        for fact, state in facts.items()
        if fact and (place := answer.casefold().find(fact.casefold())) >= 0
    )
    for start, end, state in places:
        if start < at:
            continue
        found += [(answer[at:start], ""), (answer[start:end], state)]
        at = end
    return (*found, (answer[at:], ""))
