"""Operations on requests: built under a budget, and asked why they hold what they hold."""

from __future__ import annotations

import time
from typing import Any

from pydantic import Field

from palimpsest.errors import NotFound, RequiredContextTooLarge
from palimpsest.types import Budget
from palimpsest.web.api import answers
from palimpsest.web.api.operation import HERE, Body, Call, Name, OfPage, Operation, Scoped
from palimpsest.web.live import reading
from palimpsest.web.live.paging import Paged

_MOST = 16_000_000
"""The largest window, as the settings of compaction have it."""
Content = str | list[dict[str, Any]]


class Room(Body):
    """The tokens of one call: the window holds the request, the answer and a margin."""

    window: int = Field(ge=1, le=_MOST)
    answer: int = Field(default=0, ge=0, le=_MOST)
    margin: int = Field(default=0, ge=0, le=_MOST)


class Asked(Body):
    """What is asked, and how much room there is."""

    question: Content | None = Field(
        default=None, description="The user's words; null continues the turn that waits."
    )
    budget: Room
    instructions: Content | None = Field(default=None, description="The system message.")
    tools: list[dict[str, Any]] | None = Field(default=None, description="Tool schemas.")
    strategy: str = Field(
        default="managed", max_length=2_000, description="The Spec of what chooses the context."
    )
    record: bool = Field(default=True, description="Keep the ledger, for the operations on it.")


class ByRequest(OfPage):
    """One request."""

    id: Name = Field(examples=["2f6c1a"], description="The id of the request.")


class ForWords(OfPage):
    """What is missing."""

    q: str = Field(
        default="", max_length=2_000, examples=["hotel"],
        description="Words of what is missing, or the number of a memory.",
    )  # fmt: skip


def _build(call: Call) -> object:
    asked, begun = call.body, time.perf_counter()
    room = asked.budget
    made = call.talk.request(
        asked.question, budget=Budget(window=room.window, answer=room.answer, margin=room.margin),
        instructions=asked.instructions, tools=asked.tools, strategy=asked.strategy,
        record=asked.record,
    )  # fmt: skip
    call.built(time.perf_counter() - begun, bool(made.degraded))
    return answers.built(made)


def _listed(call: Call) -> object:
    page = reading.requests(call.talk, call.params.page)
    rows = tuple(answers.kept(one) for one in page.requests.rows)
    return answers.Requests(
        requests=Paged(
            rows=rows, found=page.requests.found, page=page.requests.page,
            pages=page.requests.pages,
        ),
        turnout=page.turnout,
    )  # fmt: skip


def _one(call: Call) -> object:
    found = reading.request(call.talk, call.params.id, call.params.page)
    return answers.OneRequest(
        request=answers.kept(found.request), parts=found.parts, turns=found.turns,
        seated=found.seated, left=found.left,
    )  # fmt: skip


def _why(call: Call) -> object:
    found = reading.answer(call.talk, call.params.q, call.params.page)
    return answers.Answer(
        query=found.query, request=answers.kept(found.request) if found.request else None,
        found=found.found, said=found.said, forgotten=found.forgotten,
    )  # fmt: skip


OPERATIONS = (
    Operation(
        id="build_request", method="POST", path="/requests", tag="requests",
        summary="Build the request for a question within a budget.",
        run=_build, params=Scoped, body=Asked, answer=answers.Built,
        errors=(RequiredContextTooLarge.code,), asks=HERE,
        says={"question": "Which hotel?", "budget": {"window": 1024, "answer": 128}},
    ),
    Operation(
        id="list_requests", method="GET", path="/requests", tag="requests",
        summary="The requests whose ledgers are kept, the newest first.",
        run=_listed, params=OfPage, answer=answers.Requests, asks=HERE,
    ),
    Operation(
        id="show_request", method="GET", path="/requests/{id}", tag="requests",
        summary="Why each turn and each memory is in a request, or is not.",
        run=_one, params=ByRequest, answer=answers.OneRequest, errors=(NotFound.code,),
        asks={**HERE, "id": "2f6c1a"},
    ),
    Operation(
        id="why", method="GET", path="/why", tag="requests",
        summary="Why something is missing from the newest request.",
        run=_why, params=ForWords, answer=answers.Answer, asks={**HERE, "q": "hotel"},
    ),
)  # fmt: skip
