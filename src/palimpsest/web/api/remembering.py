"""Operations on memories: what is remembered, corrected, pinned and forgotten."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from palimpsest.errors import Ambiguous, NotFound
from palimpsest.forgetting import ForgetPlan
from palimpsest.types import Memory
from palimpsest.web.api import answers
from palimpsest.web.api.operation import HERE, Body, ById, Call, Number, OfPage, Operation, Scoped
from palimpsest.web.live import contexts

State = Literal["current", "replaced", "pinned", "hedged", "all"]
_REASON = "asked for through the API"


class Listed(OfPage):
    """Which memories."""

    q: str = Field(default="", max_length=2_000, description="Words that the memory holds.")
    kind: str = Field(default="", max_length=50, description="fact, preference, promise, ...")
    state: State = Field(default="current", description="Which of them.")


class Remembered(Body):
    """A statement to keep."""

    text: str = Field(min_length=1, description="The statement, as a person would say it.")
    attribute: str | None = Field(
        default=None, description="A name under which it can be corrected and forgotten."
    )
    value: str | None = Field(default=None, description="The exact value in it.")
    turn: Number | None = Field(default=None, description="The turn that it quotes.")


class Corrected(Body):
    """A newer statement; name what it replaces by one of attribute, id and words."""

    text: str = Field(min_length=1, description="The newer statement.")
    attribute: str | None = None
    id: Number | None = None
    words: str | None = Field(default=None, description="A description of what is meant.")
    value: str | None = Field(default=None, description="The exact value in the new statement.")
    turn: Number | None = Field(default=None, description="The turn that says so.")


class Meant(Body):
    """What is to go: name it by one of attribute, id, value and words."""

    attribute: str | None = None
    id: Number | None = None
    value: str | None = Field(default=None, description="The exact value.")
    words: str | None = Field(default=None, description="A description of what is meant.")
    forms: list[str] = Field(default=[], description="Further writings of the value.")
    turn: Number | None = Field(default=None, description="The turn that asks for it.")

    def named(self) -> dict[str, Any]:
        """As the core takes it."""
        return {
            "attribute": self.attribute, "id": self.id, "value": self.value, "words": self.words,
            "forms": self.forms, "turn": self.turn,
        }  # fmt: skip


class ToForget(Meant):
    """The same, and the reason to keep on record."""

    reason: str = Field(default=_REASON, max_length=500, description="Kept in the record.")


def _listed(call: Call) -> object:
    asked = call.params
    return contexts.memories(
        call.talk, query=asked.q, kind=asked.kind, state=asked.state, page=asked.page
    )


def _one(call: Call) -> object:
    found = contexts.one_memory(call.talk, call.params.id)
    stood = [answers.Stood(request=answers.kept(s.request), entry=s.entry) for s in found.stood]
    return answers.OneMemory(memory=found.memory, chain=found.chain, count=found.count, stood=stood)


def _remember(call: Call) -> object:
    given = call.body
    return call.talk.remember(
        given.text, attribute=given.attribute, value=given.value, turn=given.turn, source="api"
    )


def _correct(call: Call) -> object:
    given = call.body
    return call.talk.correct(
        given.text, attribute=given.attribute, id=given.id, words=given.words,
        value=given.value, turn=given.turn, source="api",
    )  # fmt: skip


def _plan(call: Call) -> object:
    return call.talk.plan_forget(**call.body.named())


def _forget(call: Call) -> object:
    talk, given = call.talk, call.body
    planned = talk.plan_forget(**given.named())
    done = talk.forget(**given.named(), reason=given.reason)
    # An audit reads every user's rows: what it finds would tell a key of them.
    owner = call.access.owner
    audits = [call.memory.audit(value) for value in planned.audited] if owner else []
    return answers.Forgotten(
        deletions=done, clean=all(audit.clean for audit in audits) if owner else None,
        receipt=call.memory.receipt(talk.scope, done, audits, files=owner),
    )  # fmt: skip


def _deletions(call: Call) -> object:
    return contexts.deletions(call.memory, call.talk, call.params.page)


OPERATIONS = (
    Operation(
        id="remember", method="POST", path="/memories", tag="memories",
        summary="Keep a statement.",
        run=_remember, params=Scoped, body=Remembered, answer=Memory,
        errors=(NotFound.code,), asks=HERE,
        says={"text": "The hotel is Les Rosiers.", "attribute": "hotel", "value": "Les Rosiers"},
    ),
    Operation(
        id="correct", method="POST", path="/memories/correct", tag="memories",
        summary="Replace what is remembered by a newer statement.",
        run=_correct, params=Scoped, body=Corrected, answer=Memory,
        errors=(NotFound.code, Ambiguous.code), asks=HERE,
        says={"text": "The hotel is Le Marronnier.", "attribute": "hotel"},
    ),
    Operation(
        id="list_memories", method="GET", path="/memories", tag="memories",
        summary="What is remembered, the newest first.",
        run=_listed, params=Listed, answer=contexts.Memories, asks={**HERE, "q": "hotel"},
    ),
    Operation(
        id="show_memory", method="GET", path="/memories/{id}", tag="memories",
        summary="A memory with what it replaced, its counters and where it stood.",
        run=_one, params=ById, answer=answers.OneMemory, errors=(NotFound.code,),
        asks={**HERE, "id": 1},
    ),
    Operation(
        id="pin", method="PUT", path="/memories/{id}/pin", tag="memories",
        summary="Let a memory come before others.",
        run=lambda call: call.talk.pin(call.params.id), params=ById, answer=Memory,
        errors=(NotFound.code,), asks={**HERE, "id": 1},
    ),
    Operation(
        id="unpin", method="DELETE", path="/memories/{id}/pin", tag="memories",
        summary="Take the pin away.",
        run=lambda call: call.talk.pin(call.params.id, pinned=False), params=ById,
        answer=Memory, errors=(NotFound.code,), asks={**HERE, "id": 1},
    ),
    Operation(
        id="plan_forget", method="POST", path="/memories/forget/plan", tag="memories",
        summary="What a forget would take; nothing is changed.",
        run=_plan, params=Scoped, body=Meant, answer=ForgetPlan,
        errors=(NotFound.code, Ambiguous.code), asks=HERE, says={"value": "RR-12345"},
    ),
    Operation(
        id="forget", method="POST", path="/memories/forget", tag="memories",
        summary="Forget for good, out of every copy; the receipt holds no text.",
        run=_forget, params=Scoped, body=ToForget, answer=answers.Forgotten,
        errors=(NotFound.code, Ambiguous.code), asks=HERE, says={"value": "RR-12345"},
    ),
    Operation(
        id="list_deletions", method="GET", path="/deletions", tag="memories",
        summary="The records that forgets left, the newest first.",
        run=_deletions, params=OfPage, answer=contexts.Deletions, asks=HERE,
    ),
)  # fmt: skip
