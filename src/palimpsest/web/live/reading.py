"""What the pages of requests show: who was seated, who was left out, and why it is missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from palimpsest import why
from palimpsest.conversation import Conversation
from palimpsest.errors import NotFound
from palimpsest.ledger import PartName, TurnEntry
from palimpsest.proposals import Verdict
from palimpsest.store import counting
from palimpsest.store.counting import Count, Turnout
from palimpsest.store.requests import StoredRequest
from palimpsest.types import Memory as Row
from palimpsest.web.live.paging import Paged, paged
from palimpsest.why_text import matching

_ALL = 1_000_000
"""More requests than a store keeps of one conversation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Requests:
    """The requests whose ledgers are kept, the newest first."""

    requests: Paged[StoredRequest]
    turnout: Turnout


@dataclass(frozen=True, slots=True, kw_only=True)
class OneRequest:
    """A request with every memory that it holds, and a page of those that it left out."""

    request: StoredRequest
    parts: Mapping[PartName, int]
    turns: tuple[TurnEntry, ...]
    seated: tuple[why.Place, ...]
    left: Paged[why.Place]


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidIn:
    """A turn that holds the words that were looked for, and what became of it."""

    turn: int
    entry: TurnEntry | None
    """Where it stood in the newest request; ``None`` where that was built before it."""
    read: str
    """``done``, ``pending`` or ``failed``; empty for a turn that never waited to be read."""
    verdicts: tuple[Verdict, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a search for a missing thing found: memories, and how each stood last."""

    query: str
    request: StoredRequest | None
    found: Paged[why.Place]
    said: tuple[SaidIn, ...]
    """The newest turns that hold the words, where no memory does."""
    forgotten: int
    """How many forgets this conversation had: what they took leaves no words to find."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Corner:
    """A memory that was a candidate and never served."""

    count: Count
    memory: Row


@dataclass(frozen=True, slots=True, kw_only=True)
class Corners:
    """The forgotten corners of a conversation, the most often passed over first."""

    corners: Paged[Corner]
    turnout: Turnout


def requests(talk: Conversation, page: int) -> Requests:
    """The kept requests, newest first."""
    return Requests(requests=paged(talk.requests(_ALL), page), turnout=talk.turnout())


def request(talk: Conversation, id: str, page: int) -> OneRequest:
    """A request by its id; raises NotFound."""
    kept = talk.kept_request(id)
    if kept is None:
        raise NotFound(f"request {id!r} is not kept in this conversation")
    reasons = why.of_request(talk, kept)
    return OneRequest(
        request=kept, parts=reasons.parts, turns=reasons.turns,
        seated=tuple(place for place in reasons.memories if place.seated),
        left=paged([place for place in reasons.memories if not place.seated], page),
    )  # fmt: skip


def answer(talk: Conversation, query: str, page: int) -> Answer:
    """Why something is missing from the newest request: by a memory's words, or its id."""
    newest = talk.requests(1)
    places: Sequence[why.Place] = why.of_request(talk, newest[0]).memories if newest else ()
    wanted = query.strip()
    number = wanted.removeprefix("#")
    rows = [place.memory for place in places if place.memory is not None]
    ids = {row.id for row in matching(rows, wanted)} if wanted else set()
    fitting = [place for place in places if place.id in ids or number == str(place.id)]
    return Answer(
        query=query, request=newest[0] if newest else None, found=paged(fitting, page),
        said=_said(talk, wanted, newest) if wanted and not fitting else (),
        forgotten=len(talk.deletions()),
    )  # fmt: skip


def _said(talk: Conversation, words: str, newest: Sequence[StoredRequest]) -> tuple[SaidIn, ...]:
    ledger = talk.ledger(newest[0].id) if newest else None
    read = {reading.turn: reading.status for reading in talk.reflections()}
    return tuple(
        SaidIn(
            turn=turn, entry=ledger.turn(turn) if ledger else None, read=read.get(turn, ""),
            verdicts=talk.verdicts(turn=turn),
        )
        for turn in talk.turns_saying(words)[::-1]
    )  # fmt: skip


def corners(talk: Conversation, page: int) -> Corners:
    """Current memories that were candidates and were never served, most often first."""
    counts = paged(counting.corners(talk.counts()), page)
    rows = {row.id: row for row in talk.visible([count.id for count in counts.rows])}
    shown = tuple(Corner(count=count, memory=rows[count.id]) for count in counts.rows)
    return Corners(
        corners=Paged(rows=shown, found=counts.found, page=counts.page, pages=counts.pages),
        turnout=talk.turnout(),
    )
