"""A LangGraph ``BaseStore`` over the engine: an item is a memory, its key the attribute.

One label of the namespace is the user, and the whole namespace names a conversation of that
user. A put on a key that is there supersedes, a delete forgets with all that was replaced, and
a search with a query goes through recall. Invariant: no call reaches a user that it does not
name, unless the store was opened for everybody.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable, Iterator, Sequence

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)

from palimpsest.conversation import Conversation
from palimpsest.engine import Memory
from palimpsest.errors import InputError
from palimpsest.integrations.langchain import items
from palimpsest.integrations.langchain.items import Namespace, Row
from palimpsest.integrations.langchain.match import filtered, matches
from palimpsest.integrations.langchain.ranked import ranked


class MemoryStore(BaseStore):
    """Items of LangGraph's store in one Memory; threads may share it.

    ``user_at`` is the place of the user in every namespace: 0 for ``("ana", "notes")``, 1 for
    ``("memories", "ana")``. A search or a list names a user, unless ``everybody`` is true.
    An item lives until it is deleted: there is no TTL, and LangGraph refuses one.
    """

    supports_ttl = False
    __slots__ = ("_everybody", "_memory", "_user_at", "_writing")

    def __init__(self, memory: Memory, *, user_at: int = 0, everybody: bool = False) -> None:
        if memory.policy != "managed":
            raise InputError(
                f"memory: its policy is {memory.policy!r}, which keeps what is replaced; a store "
                "of items needs 'managed', which is chosen when a database is made"
            )
        if isinstance(user_at, bool) or not isinstance(user_at, int) or user_at < 0:
            raise InputError(f"user_at: {user_at!r} is not a place in a namespace, from 0")
        self._memory, self._user_at, self._everybody = memory, user_at, everybody
        self._writing = threading.Lock()

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """The result of each operation; reads see what was there before the batch wrote.

        Nothing is written where one of them is refused. Of two puts on one key the later holds.
        """
        asked = list(ops)
        written = {(op.namespace, op.key): op for op in asked if isinstance(op, PutOp)}
        rows = [(op, self._written(op)) for op in written.values()]
        results = [None if isinstance(op, PutOp) else self._read(op) for op in asked]
        with self._writing:
            for op, text in rows:
                self._write(op, text)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """The same in a thread, so that the event loop goes on."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _written(self, op: PutOp) -> str | None:
        """The text of a put, checked before anything is written; ``None`` for a delete."""
        self._user(op.namespace)
        if op.ttl is not None:
            raise NotImplementedError(
                f"ttl: {op.ttl!r} minutes cannot be kept; an item lives until it is deleted"
            )
        return None if op.value is None else items.text_of(op.value)

    def _write(self, op: PutOp, text: str | None) -> None:
        talk, attribute = self._talk(op.namespace), items.attribute_of(op.key)
        there = talk.current(attribute)
        if text is not None and there:
            talk.correct(text, attribute=attribute, value=items.VALUE, source="store")
        elif text is not None:
            talk.remember(text, attribute=attribute, value=items.VALUE, source="store")
        elif there:
            talk.forget(attribute=attribute, reason="deleted from the store")

    def _read(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            self._user(op.namespace)
            found = self._talk(op.namespace).current(items.attribute_of(op.key))
            return self._item(op.namespace, Row(key=op.key, memory=found[-1])) if found else None
        if isinstance(op, SearchOp):
            return self._search(op)
        if isinstance(op, ListNamespacesOp):
            return self._list(op)
        raise InputError(f"batch: {op!r:.60} is no operation of a store")

    def _search(self, op: SearchOp) -> list[SearchItem]:
        start, stop = bounds(op)
        talks = [(space, self._talk(space)) for space in self._spaces(op.namespace_prefix)]
        rows = [
            (space, row)
            for space, talk in talks
            for row in items.rows_of(talk)
            if filtered(row.value, op.filter or {})
        ]
        scores: dict[tuple[Namespace, int], float] = {}
        if op.query and op.query.strip():
            scores = ranked(
                [(space, talk.recall(op.query, limit=items.MOST)) for space, talk in talks]
            )
        # The newest first, as LangGraph's stores in a database do; what the query found before it.
        rows.sort(key=lambda each: (each[1].memory.created_at, each[1].id), reverse=True)
        rows.sort(key=lambda each: -scores.get((each[0], each[1].id), 0.0))
        return [
            SearchItem(
                space, row.key, row.value, *self._times(space, row), scores.get((space, row.id))
            )
            for space, row in rows[start:stop]
        ]

    def _list(self, op: ListNamespacesOp) -> list[Namespace]:
        start, stop = bounds(op)
        conditions = op.match_conditions or ()
        found = {
            space[: op.max_depth]
            for space in self._spaces(_prefix(conditions))
            if all(matches(space, each.match_type, each.path) for each in conditions)
            and any(True for _ in items.rows_of(self._talk(space)))
        }
        return sorted(found)[start:stop]

    def _spaces(self, prefix: Sequence[str]) -> Iterator[Namespace]:
        """Every namespace under a prefix, in the order they began; ``*`` stands for any label."""
        items.check(tuple(prefix))
        named = len(prefix) > self._user_at and prefix[self._user_at] != "*"
        if not named and not self._everybody:
            raise InputError(
                f"namespace: {tuple(prefix)!r} names no user, who stands at place {self._user_at}; "
                "name one, or open the store with everybody=True for its owner"
            )
        users = (prefix[self._user_at],) if named else self._memory.users()
        for user in users:
            for name in self._memory.conversations(user):
                space = items.namespace_of(name)
                own = space[self._user_at : self._user_at + 1] == (user,)
                if own and matches(space, "prefix", tuple(prefix)):
                    yield space

    def _user(self, space: Namespace) -> str:
        items.check(space)
        if len(space) <= self._user_at:
            raise InputError(
                f"namespace: {space!r} names no user, who stands at place {self._user_at}; "
                "lengthen it, or open the store with another user_at"
            )
        return space[self._user_at]

    def _talk(self, space: Namespace) -> Conversation:
        return self._memory.conversation(user=self._user(space), id=items.conversation_of(space))

    def _times(self, space: Namespace, row: Row) -> items.Times:
        return items.times(self._talk(space).history(items.attribute_of(row.key)), row)

    def _item(self, space: Namespace, row: Row) -> Item:
        made, changed = self._times(space, row)
        return Item(
            value=row.value, key=row.key, namespace=space, created_at=made, updated_at=changed
        )


def bounds(op: SearchOp | ListNamespacesOp) -> tuple[int, int]:
    """Where a page begins and ends; raises InputError."""
    for name, value in (("limit", op.limit), ("offset", op.offset)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise InputError(f"{name}: {value!r} is not a whole number from 0")
    return op.offset, op.offset + op.limit


def _prefix(conditions: Sequence[MatchCondition]) -> Sequence[str]:
    """The longest prefix that is asked for."""
    found = [each.path for each in conditions if each.match_type == "prefix"]
    return max(found, key=len, default=())
