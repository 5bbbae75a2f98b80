"""Why a memory is in a request, or is not: stored ledgers read beside the store of today.

Ledgers hold no texts, so a text comes from the store, and a memory that was forgotten since
has none. Invariant: seated and unseated memories are answered alike.
"""

from __future__ import annotations

import difflib
from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import dataclass

from palimpsest.conversation import Conversation
from palimpsest.errors import NotFound
from palimpsest.ledger import MemoryEntry, MemoryReason, PartName, TurnEntry
from palimpsest.store.counting import Count
from palimpsest.store.requests import StoredRequest
from palimpsest.types import Memory

NEWEST = 20
"""How many of the newest requests a memory is looked for in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One memory in one request."""

    id: int
    seated: bool
    reason: MemoryReason
    tokens: int | None
    memory: Memory | None
    """As the store holds it now; ``None`` where it was forgotten since."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestReasons:
    """Everything that one request says of itself."""

    request: StoredRequest
    parts: Mapping[PartName, int]
    turns: tuple[TurnEntry, ...]
    memories: tuple[Place, ...]
    """One a memory of the conversation, the seated ones first, then by id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stood:
    """Where a memory stood in one request; ``entry`` is ``None`` where it came later."""

    request: StoredRequest
    entry: MemoryEntry | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryReasons:
    """One memory over the newest requests."""

    id: int
    memory: Memory | None
    count: Count | None
    """``None`` for a memory that is no candidate any more."""
    requests: tuple[Stood, ...]
    """The newest first."""


def why(talk: Conversation, name: str | None) -> RequestReasons | MemoryReasons:
    """Explain a request by its id, the newest one for ``None``, or a memory (``12``, ``#12``).

    Raises NotFound with the nearest names there are.
    """
    if name is None:
        newest = talk.requests(1)
        if not newest:
            raise NotFound(
                f"no request is kept in conversation {talk.scope.conversation!r} of user "
                f"{talk.scope.user!r}; build one first, with conversation.request(...)"
            )
        return of_request(talk, newest[0])
    found = talk.kept_request(name)
    if found is not None:
        return of_request(talk, found)
    number = name.removeprefix("#")
    if number.isascii() and number.isdigit() and len(number) < 19:
        return of_memory(talk, int(number))
    raise NotFound(_no_request(talk, name))


def of_request(talk: Conversation, request: StoredRequest) -> RequestReasons:
    """Every turn and every memory of one request."""
    ledger = talk.ledger(request.id)
    rows = {memory.id: memory for memory in talk.visible()}
    known = sorted(rows)
    places = []
    for entry in ledger.memories:
        inside = known[bisect_left(known, entry.first) : bisect_right(known, entry.last)]
        ids = [entry.first] if entry.first == entry.last else inside
        places += [
            Place(
                id=id, seated=entry.seated, reason=entry.reason, tokens=entry.tokens,
                memory=rows.get(id),
            )
            for id in ids
        ]  # fmt: skip
    return RequestReasons(
        request=request, parts=ledger.parts, turns=ledger.turns,
        memories=tuple(sorted(places, key=lambda place: (not place.seated, place.id))),
    )  # fmt: skip


def of_memory(talk: Conversation, id: int) -> MemoryReasons:
    """Where one memory stood in the newest requests; raises NotFound."""
    memory = next(iter(talk.visible([id])), None)
    if memory is None:
        _check_forgotten(talk, id)
    stood = [
        Stood(request=request, entry=talk.ledger(request.id).memory(id))
        for request in talk.requests(NEWEST)
    ]
    return MemoryReasons(id=id, memory=memory, count=talk.count(id), requests=tuple(stood))


def _check_forgotten(talk: Conversation, id: int) -> None:
    """Refuse an id that was never given, or that belongs to another conversation."""
    home, last = talk.home_of(id)
    if home is not None:
        raise NotFound(
            f"memory #{id} belongs to conversation {home!r} and is not global; name it with "
            f"--conversation {home!r}"
        )
    if not 0 < id <= last:
        nearest = ", ".join(f"#{memory.id}" for memory in talk.visible()[-3:]) or "none"
        raise NotFound(
            f"there is no memory #{id}; ids of user {talk.scope.user!r} run to #{last}, and the "
            f"newest that this conversation sees are: {nearest}"
        )


def _no_request(talk: Conversation, name: str) -> str:
    kept = [request.id for request in talk.requests(200)]
    near = [id for id in kept if id.startswith(name)][:3]
    near = near or difflib.get_close_matches(name, kept, n=3) or kept[:3]
    return (
        f"{name!r} is neither a request that is kept in conversation "
        f"{talk.scope.conversation!r} nor a memory such as #12; the nearest requests are: "
        f"{', '.join(near) or 'none'}"
    )
