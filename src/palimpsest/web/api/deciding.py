"""Operations on verdicts: what became of proposals, and what waits for a person."""

from __future__ import annotations

from pydantic import Field

from palimpsest.errors import Ambiguous, NotFound
from palimpsest.proposals import Verdict
from palimpsest.web.api import answers
from palimpsest.web.api.operation import HERE, Body, ById, Call, Number, OfPage, Operation, Scoped
from palimpsest.web.live import reading, writing
from palimpsest.web.live.paging import paged


class Decided(OfPage):
    """Which verdicts."""

    action: str = Field(default="", max_length=50, description="add, merge, supersede, ...")
    rule: str = Field(default="", max_length=100, description="The rule that decided.")


class Accepted(Body):
    """What a person accepts."""

    memory: Number | None = Field(
        default=None, description="Which memory is meant, where several may be."
    )


def _listed(call: Call) -> object:
    asked = call.params
    return writing.verdicts(call.talk, action=asked.action, rule=asked.rule, page=asked.page)


def _counters(call: Call) -> object:
    talk = call.talk
    counts = paged(talk.counts(), call.params.page)
    return answers.Counters(counts=counts, turnout=talk.turnout())


OPERATIONS = (
    Operation(
        id="list_verdicts", method="GET", path="/verdicts", tag="verdicts",
        summary="What became of each proposed memory, the newest first.",
        run=_listed, params=Decided, answer=writing.Verdicts, asks={**HERE, "action": "add"},
    ),
    Operation(
        id="list_review", method="GET", path="/review", tag="verdicts",
        summary="The verdicts that wait for a person, oldest first.",
        run=lambda call: answers.Waiting(verdicts=call.talk.review()), params=Scoped,
        answer=answers.Waiting, asks=HERE,
    ),
    Operation(
        id="accept_verdict", method="POST", path="/verdicts/{id}/accept", tag="verdicts",
        summary="Do what a waiting verdict proposes.",
        run=lambda call: call.talk.accept(call.params.id, memory=call.body.memory), params=ById,
        body=Accepted, answer=Verdict, errors=(NotFound.code, Ambiguous.code),
        asks={**HERE, "id": 4}, says={},
    ),
    Operation(
        id="dismiss_verdict", method="POST", path="/verdicts/{id}/dismiss", tag="verdicts",
        summary="Leave things as they are.",
        run=lambda call: call.talk.dismiss(call.params.id), params=ById, answer=Verdict,
        errors=(NotFound.code,), asks={**HERE, "id": 5},
    ),
    Operation(
        id="undo_verdict", method="POST", path="/verdicts/{id}/undo", tag="verdicts",
        summary="Take back what a verdict added, merged or replaced.",
        run=lambda call: call.talk.undo(call.params.id), params=ById, answer=Verdict,
        errors=(NotFound.code,), asks={**HERE, "id": 3},
    ),
    Operation(
        id="list_counters", method="GET", path="/counters", tag="counters",
        summary="How often each current memory was a candidate, was served, was brought back.",
        run=_counters, params=OfPage, answer=answers.Counters, asks=HERE,
    ),
    Operation(
        id="list_corners", method="GET", path="/corners", tag="counters",
        summary="Memories that were candidates and never came up.",
        run=lambda call: reading.corners(call.talk, call.params.page), params=OfPage,
        answer=reading.Corners, asks=HERE,
    ),
)  # fmt: skip
