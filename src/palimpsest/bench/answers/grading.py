"""Grades one answer: pass, fail with its reason, or incomplete; offline and pure.

Incomplete where nothing was said; fail for a forgotten value, a replaced fact stated as
current or a required fact that is missing, in the order that the keys give; else pass. A
missing fact of a failed answer says whether its request held it. Invariant: equal answers,
requests and keys give equal grades.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from palimpsest import messages
from palimpsest.bench.answers.cases import AnswerCase
from palimpsest.bench.answers.clean import says_something
from palimpsest.bench.answers.keys import Keys
from palimpsest.bench.answers.matching import Said, said
from palimpsest.bench.grade import places_of, text_of
from palimpsest.models.recordings import AskedRequest, GivenAnswer

Verdict = Literal["pass", "fail", "incomplete"]
VERDICTS: tuple[Verdict, ...] = ("pass", "fail", "incomplete")
Reason = Literal["", "forgotten", "stale", "missing", "says-missing", "empty", "tool-call"]
Where = Literal["not in the request", "in the request, not used", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """One required fact that an answer lacks."""

    fact: str
    where: Where
    """``unknown`` where the request was not recorded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerGrade:
    """One answer with its verdict; ``reason`` is a code and ``said`` its sentence."""

    seed: int
    verdict: Verdict
    reason: Reason
    said: str
    found: tuple[str, ...] = ()
    required: int
    missing: tuple[Missing, ...] = ()
    stale: tuple[str, ...] = ()
    forgotten: tuple[str, ...] = ()
    cut: bool = False
    """True where it stopped at the answer-token limit."""


def grade(
    case: AnswerCase,
    given: GivenAnswer,
    keys: Keys,
    request: AskedRequest | None = None,
    markers: Sequence[str] = (),
) -> AnswerGrade:
    """Grade one answer to a case; ``request`` is what was sent, where that is known."""
    cut = given.stop == "length"
    required = len(case.required)
    if not says_something(given.answer):
        reason: Reason = "tool-call" if given.tool_calls else "empty"
        return AnswerGrade(
            seed=given.seed, verdict="incomplete", reason=reason, said=keys.wording[reason],
            required=required, cut=cut,
        )  # fmt: skip
    found = said(case, given.answer, keys)
    missing = tuple(fact for fact in case.required if fact not in found.found)
    reason = _reason(keys, found, missing)
    return AnswerGrade(
        seed=given.seed,
        verdict="fail" if reason else "pass",
        reason=reason,
        said=_sentence(keys, reason, found, missing, required=required, cut=cut),
        found=found.found,
        required=required,
        missing=_placed(missing, keys, request, markers),
        stale=found.stale,
        forgotten=found.forgotten,
        cut=cut,
    )


def _reason(keys: Keys, found: Said, missing: Sequence[str]) -> Reason:
    grounds = {"forgotten": found.forgotten, "stale": found.stale, "missing": missing}
    for ground in keys.order:
        if grounds[ground]:
            says = ground == "missing" and found.missing_said
            return "says-missing" if says else ground
    return ""


def _sentence(
    keys: Keys, reason: Reason, found: Said, missing: Sequence[str], *, required: int, cut: bool
) -> str:
    facts: Sequence[str] = {"forgotten": found.forgotten, "stale": found.stale}.get(reason, missing)
    told = keys.wording[reason or "pass"].format(
        facts=keys.wording["join"].join(facts), count=len(missing), total=required
    )
    by_limit = cut and reason in ("missing", "says-missing")
    return told + (keys.wording["cut"] if by_limit else "")


def _placed(
    missing: Sequence[str], keys: Keys, request: AskedRequest | None, markers: Sequence[str]
) -> tuple[Missing, ...]:
    if request is None:
        return tuple(Missing(fact=fact, where="unknown") for fact in missing)
    sent = [text_of(message) for message in messages.messages(list(request.messages))]
    return tuple(
        Missing(
            fact=fact,
            where="in the request, not used"
            if places_of(keys.text(fact), sent, markers)
            else "not in the request",
        )
        for fact in missing
    )
