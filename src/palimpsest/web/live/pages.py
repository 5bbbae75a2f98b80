"""The table of the pages: a path, its template, and what makes its record from a query."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from palimpsest.conversation import Conversation
from palimpsest.engine import Memory
from palimpsest.errors import InputError
from palimpsest.web.live import contexts, reading, writing

Query = Mapping[str, str]
Page = Callable[[Memory, Query], object]


def talk(memory: Memory, query: Query) -> Conversation:
    """The conversation that a query names; raises InputError."""
    for name in ("user", "conversation"):
        if not query.get(name, "").strip():
            raise InputError(f"{name}: is missing; begin at the list of conversations")
    return memory.conversation(user=query["user"], id=query["conversation"])


def number(query: Query, name: str, default: int | None = None) -> int:
    """A whole number of a query; raises InputError."""
    text = query.get(name, "")
    if not text and default is not None:
        return default
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise InputError(f"{name}: {text!r} is not a whole number")
    return int(text)


def _page(query: Query) -> int:
    return number(query, "page", 1)


def _turns(memory: Memory, query: Query) -> object:
    first = number(query, "first") if query.get("first") else None
    return contexts.turns(talk(memory, query), first)


def _memories(memory: Memory, query: Query) -> object:
    return contexts.memories(
        talk(memory, query), query=query.get("q", ""), kind=query.get("kind", ""),
        state=query.get("state", "current"), page=_page(query),
    )  # fmt: skip


def _verdicts(memory: Memory, query: Query) -> object:
    return writing.verdicts(
        talk(memory, query), action=query.get("action", ""), rule=query.get("rule", ""),
        page=_page(query),
    )  # fmt: skip


PAGES: Mapping[str, tuple[str, Page]] = {
    "/": ("home", lambda memory, query: contexts.home(memory, _page(query))),
    "/turns": ("turns", _turns),
    "/memories": ("memories", _memories),
    "/memory": (
        "memory", lambda memory, query: contexts.one_memory(
            talk(memory, query), number(query, "id"))
    ),
    "/forget": (
        "forget", lambda memory, query: contexts.plan(talk(memory, query), number(query, "id"))
    ),
    "/forgotten": (
        "forgotten", lambda memory, query: contexts.deletions(
            memory, talk(memory, query), _page(query))
    ),
    "/requests": (
        "requests", lambda memory, query: reading.requests(talk(memory, query), _page(query))
    ),
    "/request": (
        "request", lambda memory, query: reading.request(
            talk(memory, query), query.get("id", ""), _page(query))
    ),
    "/why": (
        "why", lambda memory, query: reading.answer(
            talk(memory, query), query.get("q", ""), _page(query))
    ),
    "/verdicts": ("verdicts", _verdicts),
    "/choose": (
        "choose", lambda memory, query: writing.choice(
            talk(memory, query), number(query, "id"), query=query.get("q", ""), page=_page(query))
    ),
    "/story": ("story", lambda memory, query: writing.story(talk(memory, query))),
    "/corners": (
        "corners", lambda memory, query: reading.corners(talk(memory, query), _page(query))
    ),
    "/health": ("health", lambda memory, query: writing.health(memory, talk(memory, query))),
    "/audit": ("audit", lambda memory, query: contexts.Audited(audit=None)),
}  # fmt: skip
