"""What the pages of conversations, turns and memories show, as records without HTML.

Invariant: a context holds what one user's conversation sees and nothing of another user,
but for the first page, which belongs to the owner of the store.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from palimpsest import why
from palimpsest.auditing import Audit
from palimpsest.conversation import Conversation
from palimpsest.engine import Memory
from palimpsest.errors import NotFound
from palimpsest.forgetting import ForgetPlan
from palimpsest.store.counting import Count
from palimpsest.types import Deletion, Turn
from palimpsest.types import Memory as Row
from palimpsest.web.live.paging import PAGE, Paged, paged


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
    talks: Paged[Talk]


@dataclass(frozen=True, slots=True, kw_only=True)
class Turns:
    """A page of turns, oldest first; ``earlier`` and ``later`` lead to its neighbours."""

    turns: tuple[Turn, ...]
    total: int
    earlier: int | None
    later: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Memories:
    """A page of memories that fit the filters, the newest first."""

    memories: Paged[Row]
    kinds: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OneMemory:
    """A memory with what it replaced, its counters and where it stood."""

    memory: Row
    chain: tuple[Row, ...]
    count: Count | None
    stood: tuple[why.Stood, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a forget of a memory would take; nothing of it has happened."""

    memory: Row
    plan: ForgetPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What a forget took, without a text of it, and the sealed receipt to keep."""

    deletions: tuple[Deletion, ...]
    clean: bool
    """An audit of every value found it nowhere."""
    receipt: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Deletions:
    """The receipts that forgets left, the newest first: how many rows each, and no text."""

    deletions: Paged[Deletion]
    scrubbed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Audited:
    """An audit that was run; ``None`` before."""

    audit: Audit | None


def home(memory: Memory, page: int, holds: Callable[[str], bool] = lambda user: True) -> Home:
    """Every conversation of the users that ``holds``, user by user."""
    users = [user for user in memory.users() if holds(user)]
    names = paged([(user, name) for user in users for name in memory.conversations(user)], page)
    talks = []
    for user, name in names.rows:
        talk = memory.conversation(user=user, id=name)
        talks.append(
            Talk(
                user=user, conversation=name, turns=talk.last_turn(),
                memories=talk.storage().current_facts,
            )
        )  # fmt: skip
    return Home(
        path=memory.path,
        talks=Paged(rows=tuple(talks), found=names.found, page=names.page, pages=names.pages),
    )


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
        row for row in reversed(rows)
        if (not kind or row.kind == kind) and _is(row, state)
        and wanted in f"{row.text} {row.attribute or ''}".casefold()
    ]  # fmt: skip
    return Memories(memories=paged(fitting, page), kinds=kinds)


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
    chain = _chain(talk.visible(), id)
    return OneMemory(memory=found.memory, chain=chain, count=found.count, stood=found.requests)


def _chain(rows: tuple[Row, ...], id: int) -> tuple[Row, ...]:
    """Every row that a memory replaced, at any distance, the newest first."""
    replaced = [row for row in rows if row.superseded_by == id]
    chain = []
    while replaced:
        row = replaced.pop()
        chain.append(row)
        replaced += [other for other in rows if other.superseded_by == row.id]
    return tuple(sorted(chain, key=lambda row: -row.id))


def plan(talk: Conversation, id: int) -> Plan:
    """What a forget of a memory would take; raises NotFound."""
    planned = talk.plan_forget(id=id)
    memory = next(each.memory for each in planned.rows if each.memory.id == id)
    return Plan(memory=memory, plan=planned)


def forget(memory: Memory, talk: Conversation, id: int, *, verdict: int | None = None) -> Receipt:
    """Forget a memory and audit each of its values; raises NotFound.

    Where ``verdict`` waited for this choice it is settled by it, or nothing goes.
    """
    planned = talk.plan_forget(id=id)
    if verdict is None:
        done = talk.forget(id=id, reason="asked for in the pages")
    else:
        before = {deletion.id for deletion in talk.deletions()}
        talk.accept(verdict, memory=id)
        done = tuple(one for one in talk.deletions() if one.id not in before)
    audits = memory.audits(planned.audited)
    return Receipt(
        deletions=done, clean=all(audit.clean for audit in audits),
        receipt=memory.receipt(talk.scope, done, audits),
    )  # fmt: skip


def deletions(memory: Memory, talk: Conversation, page: int) -> Deletions:
    """What was forgotten in this conversation, as its receipts."""
    return Deletions(deletions=paged(talk.deletions()[::-1], page), scrubbed=memory.scrubbed)
