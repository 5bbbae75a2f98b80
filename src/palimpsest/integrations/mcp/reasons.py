"""What ``why`` answers: where a memory stood, what a text is to the store, what a request holds.

Invariant: a memory that was forgotten has no text here, and what is nowhere is an answer too.
"""

from __future__ import annotations

from collections import Counter

from pydantic import Field

from palimpsest.conversation import Conversation
from palimpsest.errors import InputError
from palimpsest.integrations.mcp import results
from palimpsest.integrations.mcp.arguments import Why
from palimpsest.integrations.mcp.results import Forgotten, OneMemory, Record, Result, Verdict, words
from palimpsest.reason_words import MEMORY, TURN
from palimpsest.why import MemoryReasons, Place, RequestReasons, of_memory
from palimpsest.why import why as explain
from palimpsest.why_text import Said, of_text

LISTED = 50
"""Memories of one request that are listed on either side."""


class Stood(Record):
    """Where a memory stood in one request."""

    request: str
    when: str
    sent: bool
    reason: str
    words: str


class MemoryWhy(Record):
    """One memory over the newest requests."""

    id: int
    state: str = Field(description="'current', 'replaced' or 'forgotten'.")
    memory: OneMemory | None
    candidate: int = Field(description="In how many requests it could have been sent.")
    served: int
    requests: list[Stood]


class SaidWhy(Record):
    """A turn that says it, and what became of it."""

    turn: int
    by: str
    text: str
    sent: bool | None = Field(description="In the newest request; null where that is older.")
    reason: str
    read: str
    verdicts: list[Verdict]


class InRequest(Record):
    """A memory in one request, or left out of it."""

    id: int
    reason: str
    words: str
    memory: OneMemory | None


class RequestWhy(Record):
    """What one request holds."""

    id: str
    when: str
    strategy: str
    tokens: int
    degraded: str
    sent: list[InRequest]
    left_out: list[InRequest]
    left_out_counts: dict[str, int]


class Reasons(Result):
    """Everything that the store knows of what was asked about."""

    memories: list[MemoryWhy]
    said: list[SaidWhy]
    more: int = Field(description="Further memories and turns that hold it.")
    forgotten: list[Forgotten] = Field(
        description="The forgets whose value or attribute this is; they leave no words to find."
    )
    request: RequestWhy | None


def why(talk: Conversation, asked: Why) -> Reasons:
    """Answer for a text, a memory or a request; raises InputError and NotFound."""
    if sum(each is not None for each in (asked.about, asked.id, asked.request)) > 1:
        raise InputError("name one of: about, id, request; or nothing for the newest request")
    if asked.about is not None:
        return _text(talk, asked.about)
    if asked.id is not None:
        return _answer(memories=[_memory(of_memory(talk, asked.id))])
    found = explain(talk, asked.request)
    if isinstance(found, RequestReasons):
        return _answer(request=_request(found))
    return _answer(memories=[_memory(found)])


def _answer(
    *, memories: list[MemoryWhy] | None = None, request: RequestWhy | None = None
) -> Reasons:
    return Reasons(memories=memories or [], said=[], more=0, forgotten=[], request=request)


def _text(talk: Conversation, about: str) -> Reasons:
    found = of_text(talk, about)
    named = [record for record in talk.deletions() if record.attribute == about.strip()]
    records = {(r.created_at, r.id): r for r in (*talk.forgotten(about), *named)}
    return Reasons(
        memories=[_memory(each) for each in found.memories],
        said=[_said(each) for each in found.said], more=found.more,
        forgotten=[results.forgotten(record) for _, record in sorted(records.items())],
        request=None,
    )  # fmt: skip


def _memory(found: MemoryReasons) -> MemoryWhy:
    row = found.memory
    state = "forgotten" if row is None else "current" if row.superseded_by is None else "replaced"
    stood = [
        Stood(
            request=each.request.id, when=each.request.created_at,
            sent=each.entry is not None and each.entry.seated,
            reason=each.entry.reason if each.entry else "not-there-yet",
            words=MEMORY[each.entry.reason] if each.entry else "it came after this request",
        )
        for each in found.requests
    ]  # fmt: skip
    return MemoryWhy(
        id=found.id, state=state, memory=None if row is None else results.memory(row),
        candidate=found.count.candidate if found.count else 0,
        served=found.count.served if found.count else 0, requests=stood,
    )  # fmt: skip


def _said(found: Said) -> SaidWhy:
    entry = found.entry
    return SaidWhy(
        turn=found.turn, by=found.by, text=words(found.text),
        sent=None if entry is None else entry.kept,
        reason="" if entry is None else TURN[entry.reason], read=found.read,
        verdicts=[verdict(each.action, each.rule, each.text, each.memory) for each in found.verdicts],
    )  # fmt: skip


def verdict(action: str, rule: str, text: str, memory: int | None) -> Verdict:
    """A verdict as an answer carries it."""
    return Verdict(action=action, rule=words(rule), text=words(text), memory=memory)


def _request(found: RequestReasons) -> RequestWhy:
    kept = found.request
    left = [place for place in found.memories if not place.seated]
    return RequestWhy(
        id=kept.id, when=kept.created_at, strategy=words(kept.strategy), tokens=kept.tokens,
        degraded=words(kept.degraded),
        sent=[_place(each) for each in found.memories if each.seated][:LISTED],
        left_out=[_place(each) for each in left[-LISTED:]],
        left_out_counts=dict(Counter(place.reason for place in left)),
    )  # fmt: skip


def _place(place: Place) -> InRequest:
    return InRequest(
        id=place.id, reason=place.reason, words=MEMORY[place.reason],
        memory=None if place.memory is None else results.memory(place.memory),
    )  # fmt: skip
