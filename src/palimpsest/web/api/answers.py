"""What the API answers with, where the record of a page would say too much or too little.

Invariant: no answer holds a path of the server, and a user goes by the name that the key
knows; ``shown`` puts that name in place of the stored one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import TypeAdapter

from palimpsest.ledger import MemoryEntry, PartName, Request, TurnEntry
from palimpsest.proposals import DayTokens, Reflection, Verdict
from palimpsest.store.counting import Count, Turnout
from palimpsest.store.requests import StoredRequest
from palimpsest.store.vectors import Coverage
from palimpsest.types import Deletion, Memory, Turn
from palimpsest.web.access import Access
from palimpsest.web.live.contexts import Talk
from palimpsest.web.live.paging import Paged
from palimpsest.web.live.reading import SaidIn
from palimpsest.why import Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Talks:
    """The conversations that a key reaches, user by user."""

    talks: Paged[Talk]


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidTurn:
    """A turn with its messages as a chat API takes them."""

    number: int
    open: bool
    """The model owes an answer."""
    messages: list[dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidTurns:
    """The turns that what was said went into, oldest first."""

    turns: list[SaidTurn]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnsPage:
    """Some turns, oldest first; ``earlier`` and ``later`` are values of ``first``."""

    turns: list[SaidTurn]
    total: int
    earlier: int | None
    later: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Readings:
    """How the reading of each turn stands."""

    reflections: tuple[Reflection, ...]
    today: DayTokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What is kept of a request, without its ledger."""

    id: str
    strategy: str
    tokens: int
    created_at: str
    degraded: str
    """Why it was built without recall by meaning; empty where it was not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stood:
    """Where a memory stood in one request; no entry where it came later."""

    request: Kept
    entry: MemoryEntry | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OneMemory:
    """A memory with what it replaced, its counters, and where it stood."""

    memory: Memory
    chain: tuple[Memory, ...]
    count: Count | None
    stood: list[Stood]


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """What a forget took, and the sealed receipt to keep; neither holds a text."""

    deletions: tuple[Deletion, ...]
    clean: bool | None
    """An audit found every value nowhere; null for a key that may not read all users."""
    receipt: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """A request as it is to be sent, with its exact count and the sizes of its parts."""

    id: str
    """Empty where it was not to be kept."""
    tokens: int
    estimated: bool
    limit: int
    """The most that it may take."""
    strategy: str
    messages: list[dict[str, Any]]
    tools: list[dict[str, Any]]
    parts: Mapping[PartName, int]
    degraded: str
    shared_prefix: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Requests:
    """The requests whose ledgers are kept, the newest first."""

    requests: Paged[Kept]
    turnout: Turnout


@dataclass(frozen=True, slots=True, kw_only=True)
class OneRequest:
    """A request with every memory that it holds, and a page of those that it left out."""

    request: Kept
    parts: Mapping[PartName, int]
    turns: tuple[TurnEntry, ...]
    seated: tuple[Place, ...]
    left: Paged[Place]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Why something is missing from the newest request."""

    query: str
    request: Kept | None
    found: Paged[Place]
    said: tuple[SaidIn, ...]
    forgotten: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """The verdicts that wait for a person, oldest first."""

    verdicts: tuple[Verdict, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Counters:
    """How often each current memory was a candidate, was served, was brought back."""

    counts: Paged[Count]
    turnout: Turnout


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """How a conversation stands."""

    turnout: Turnout
    degraded: list[Kept]
    pending: int
    failed: tuple[Reflection, ...]
    tokens: int
    today: DayTokens


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreStatus:
    """How the store stands as a whole."""

    policy: str
    users: int
    memories: int
    vectors: tuple[Coverage, ...]
    embedder: str
    scrubbed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What became of the conversations of a file."""

    added: list[Owned]
    known: list[Owned]
    rows: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Owned:
    """A conversation and its user, as the store names both."""

    stored_user: str
    conversation: str


def kept(request: StoredRequest) -> Kept:
    """A stored request without its ledger."""
    return Kept(
        id=request.id, strategy=request.strategy, tokens=request.tokens,
        created_at=request.created_at, degraded=request.degraded,
    )  # fmt: skip


def said(turn: Turn) -> SaidTurn:
    """A stored turn as a client sees it."""
    messages = [message.as_dict() for message in turn.messages]
    return SaidTurn(number=turn.number, open=turn.open, messages=messages)


def built(request: Request) -> Built:
    """A finished request as a client sends it on."""
    return Built(
        id=request.id, tokens=request.tokens, estimated=request.estimated,
        limit=request.budget.input, strategy=request.strategy, messages=request.messages,
        tools=[tool.as_dict() for tool in request.tools], parts=dict(request.ledger.parts),
        degraded=request.degraded, shared_prefix=request.shared_prefix,
    )  # fmt: skip


@cache
def adapter(kind: Any) -> TypeAdapter[Any]:
    """What writes an answer, and describes it."""
    return TypeAdapter(kind)


def written(kind: Any, answer: object, access: Access) -> bytes:
    """An answer as JSON, with users as the key knows them."""
    if not access.tenant:
        return adapter(kind).dump_json(answer)
    data = adapter(kind).dump_python(answer, mode="json")
    return adapter(Any).dump_json(shown(data, access))


_SAID = frozenset({"messages", "tools", "receipt"})
"""Kept as they are: they hold what others named, or are sealed."""


def shown(data: Any, access: Access) -> Any:
    """The same data with every stored user's name as the key knows it."""
    if isinstance(data, list):
        return [shown(each, access) for each in data]
    if not isinstance(data, dict):
        return data
    return {
        key: value if key in _SAID
        else access.shown(value) if key == "user" and isinstance(value, str)
        else shown(value, access)
        for key, value in data.items()
    }  # fmt: skip
