"""What an extractor sees of one exchange, and a proposal that quotes the user's words of it."""

from __future__ import annotations

from typing import Any

from palimpsest.proposals import Proposal, Quote, Seen, Story
from palimpsest.types import Memory, Message, Scope, Turn

SCOPE = Scope(user="ana", conversation="trip")
SAID_AT = "2026-11-30T10:00:00+00:00"
"""A Monday."""


def seeing(
    user: str, assistant: str = "Noted.", *, before: tuple[tuple[str, str], ...] = (),
    memories: tuple[str, ...] = (), summary: str = "",
) -> Seen:  # fmt: skip
    """One turn, with what came before it and what was remembered."""
    turns = [_turn(number, *pair) for number, pair in enumerate((*before, (user, assistant)), 1)]
    return Seen(
        turn=turns[-1], before=tuple(turns[:-1]), said_at=SAID_AT, story=Story(summary=summary),
        memories=tuple(
            Memory(id=id, scope=SCOPE, text=text, source="turn-1")
            for id, text in enumerate(memories, 1)
        ),
    )  # fmt: skip


def proposing(seen: Seen, text: str, quote: str | None = None, **fields: Any) -> Proposal:
    """A proposal that quotes ``quote``, by default all that the user said."""
    said = seen.turn.messages[0].texts()[0]
    start = said.index(quote) if quote is not None else 0
    end = start + len(quote) if quote is not None else len(said)
    where = Quote(message=0, text=0, start=start, end=end)
    return Proposal(text=text, quote=where, **fields)


def _turn(number: int, user: str, assistant: str) -> Turn:
    said = (Message(role="user", content=user), Message(role="assistant", content=assistant))
    return Turn(number=number, messages=said)
