"""What each live page shows, as records: made from the core, without HTML in them.

Invariant: a context holds what one user's conversation sees and nothing of another user,
but for the first page, which belongs to the owner of the store.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from palimpsest import why
from palimpsest.auditing import Audit
from palimpsest.conversation import Conversation
from palimpsest.engine import Memory
from palimpsest.errors import NotFound
from palimpsest.proposals import Reflection, Verdict
from palimpsest.store.counting import Count, Turnout
from palimpsest.store.requests import StoredRequest
from palimpsest.types import Deletion, Turn
from palimpsest.types import Memory as Row

PAGE = 50
"""Rows of one page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """One conversation in the list."""

    user: str
    conversation: str
    turns: int
    memories: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """Every conversation of the store."""

    path: str
    talks: tuple[Talk, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Turns:
    """A page of turns, oldest first; ``before`` and ``after`` lead to its neighbours."""

    turns: tuple[Turn, ...]
    total: int
    earlier: int | None
    later: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Memories:
    """A page of memories that fit the filters."""

    memories: tuple[Row, ...]
    found: int
    page: int
    pages: int
    kinds: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OneMemory:
    """A memory with what it replaced, its counters and where it stood."""

    memory: Row
    chain: tuple[Row, ...]
    count: Count | None
    stood: tuple[why.Stood, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Requests:
    """The newest requests."""

    requests: tuple[StoredRequest, ...]
    turnout: Turnout


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a search for a missing thing found: memories, and how each stood last."""

    query: str
    request: StoredRequest | None
    found: tuple[why.Place, ...]
    said_in: tuple[int, ...]
    """Turns that hold the words, where no memory does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    """The newest verdicts of the write path, and what waits for a person."""

    verdicts: tuple[Verdict, ...]
    waiting: tuple[Verdict, ...]
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Corner:
    """A memory that was a candidate and never served."""

    count: Count
    memory: Row


@dataclass(frozen=True, slots=True, kw_only=True)
class Corners:
    """The forgotten corners of a conversation."""

    corners: tuple[Corner, ...]
    turnout: Turnout


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """How a conversation stands: what waits to be read, what failed, what was degraded."""

    turnout: Turnout
    pending: int
    failed: tuple[Reflection, ...]
    tokens: int
    """Tokens that reflection took, question and answer."""
    scrubbed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class OneRequest:
    """A request with every memory that it holds or left out, and why."""

    reasons: why.RequestReasons


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """The records that a forget left: how many rows each, and no text."""

    deletions: tuple[Deletion, ...]
    scrubbed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Audited:
    """An audit that was run; ``None`` before."""

    audit: Audit | None


def home(memory: Memory) -> Home:
    """Every conversation, user by user."""
    found = []
    for user in memory.users():
        for name in memory.conversations(user):
            talk = memory.conversation(user=user, id=name)
            found.append(
                Talk(
                    user=user, conversation=name, turns=talk.last_turn(),
                    memories=talk.storage().current_facts,
                )
            )  # fmt: skip
    return Home(path=memory.path, talks=tuple(found))


def turns(talk: Conversation, first: int | None) -> Turns:
    """A page of turns from ``first`` on; the newest page where it is not given."""
    total = talk.last_turn()
    start = max(1, total - PAGE + 1) if first is None else max(1, min(first, max(total, 1)))
    shown = talk.turns(first=start, last=start + PAGE - 1)
    return Turns(
        turns=shown, total=total, earlier=max(1, start - PAGE) if start > 1 else None,
        later=start + PAGE if start + PAGE <= total else None,
    )  # fmt: skip


def memories(talk: Conversation, *, query: str, kind: str, state: str, page: int) -> Memories:
    """The memories that fit; ``state`` is current, replaced, pinned, hedged or all."""
    rows = talk.visible()
    kinds = tuple(sorted({row.kind for row in rows}))
    wanted = query.casefold()
    fitting = [
        row for row in rows
        if (not kind or row.kind == kind) and _is(row, state)
        and wanted in f"{row.text} {row.attribute or ''}".casefold()
    ]  # fmt: skip
    fitting.reverse()
    pages = max(1, -(-len(fitting) // PAGE))
    page = max(1, min(page, pages))
    return Memories(
        memories=tuple(fitting[(page - 1) * PAGE : page * PAGE]), found=len(fitting),
        page=page, pages=pages, kinds=kinds,
    )  # fmt: skip


def _is(row: Row, state: str) -> bool:
    return {
        "current": row.superseded_by is None,
        "replaced": row.superseded_by is not None,
        "pinned": row.pinned,
        "hedged": row.hedged,
    }.get(state, True)


def one_memory(talk: Conversation, id: int) -> OneMemory:
    """A memory by its id; raises NotFound."""
    found = why.of_memory(talk, id)
    if found.memory is None:
        raise NotFound(f"memory #{id} was forgotten")
    rows = {row.id: row for row in talk.visible()}
    replaced = [row for row in rows.values() if row.superseded_by == id]
    chain = []
    while replaced:
        row = replaced.pop()
        chain.append(row)
        replaced += [other for other in rows.values() if other.superseded_by == row.id]
    return OneMemory(
        memory=found.memory, chain=tuple(chain), count=found.count, stood=found.requests
    )


def requests(talk: Conversation) -> Requests:
    """The newest requests, newest first."""
    return Requests(requests=talk.requests(PAGE), turnout=talk.turnout())


def request(talk: Conversation, id: str) -> OneRequest:
    """A request by its id; raises NotFound."""
    kept = talk.kept_request(id)
    if kept is None:
        raise NotFound(f"request {id!r} is not kept in this conversation")
    return OneRequest(reasons=why.of_request(talk, kept))


def answer(talk: Conversation, query: str) -> Answer:
    """Why something is missing from the newest request: by a memory's words, or its id."""
    newest = talk.requests(1)
    places: Sequence[why.Place] = ()
    if newest:
        places = why.of_request(talk, newest[0]).memories
    wanted = query.casefold().strip()
    number = wanted.removeprefix("#")
    fitting = tuple(
        place for place in places
        if place.memory is not None
        and (number == str(place.id) or (wanted and wanted in place.memory.text.casefold()))
    )  # fmt: skip
    said = talk.turns_saying(query) if wanted and not fitting else ()
    return Answer(
        query=query, request=newest[0] if newest else None, found=fitting[:PAGE], said_in=said
    )


def verdicts(talk: Conversation) -> Verdicts:
    """The newest verdicts, newest first."""
    found = talk.verdicts()
    return Verdicts(verdicts=found[: -PAGE - 1 : -1], waiting=talk.review(), total=len(found))


def corners(talk: Conversation) -> Corners:
    """Current memories that were candidates and were never served, most often first."""
    counts = sorted(
        (count for count in talk.counts() if count.candidate and not count.served),
        key=lambda count: (-count.candidate, count.id),
    )[:PAGE]
    rows = {row.id: row for row in talk.visible([count.id for count in counts])}
    return Corners(
        corners=tuple(Corner(count=count, memory=rows[count.id]) for count in counts),
        turnout=talk.turnout(),
    )


def health(memory: Memory, talk: Conversation) -> Health:
    """How the conversation stands."""
    read = talk.reflections()
    return Health(
        turnout=talk.turnout(), pending=sum(one.status == "pending" for one in read),
        failed=tuple(one for one in read if one.status == "failed"),
        tokens=sum(one.usage.prompt_tokens + one.usage.answer_tokens for one in read),
        scrubbed=memory.scrubbed,
    )  # fmt: skip
