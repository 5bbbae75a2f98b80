"""The other wordings of a memory: how it was said again, and where.

A memory keeps one text; what a turn said of it in other words must go with it when it is
corrected or forgotten. Invariant: a wording belongs to a memory that exists.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from palimpsest.store.conversations import Conversations
from palimpsest.store.database import Database
from palimpsest.types import Memory, Scope


class Wordings:
    """The wordings of every memory."""

    def __init__(self, db: Database, conversations: Conversations) -> None:
        self._db = db
        self._conversations = conversations

    def add(self, memory: Memory, said_in: Scope, *, turn: int, text: str) -> None:
        """Keep that a turn of ``said_in`` says a memory in these words."""
        with self._db.transaction():
            self._db.write(
                "INSERT OR IGNORE INTO wordings VALUES (?, ?, ?, ?, ?)",
                (
                    self._conversations.key(memory.scope), memory.id,
                    self._conversations.ensure(said_in), turn, text,
                ),
            )  # fmt: skip

    def of(self, memories: Sequence[Memory], said_in: Scope) -> tuple[Memory, ...]:
        """Each memory once more for every wording that a turn of ``said_in`` has of it."""
        place = self._conversations.key(said_in)
        return tuple(
            dataclasses.replace(memory, text=text, turn=turn, scope=said_in)
            for memory in memories
            for turn, text in self._db.rows(
                "SELECT turn, text FROM wordings WHERE conversation = ? AND memory = ? "
                "AND turn_of = ? ORDER BY turn",
                (self._conversations.key(memory.scope), memory.id, place),
            )
        )

    def places(self, memories: Sequence[Memory]) -> tuple[Scope, ...]:
        """The conversations that say one of the memories in words of their own."""
        found: dict[Scope, None] = {}
        for memory in memories:
            rows = self._db.rows(
                "SELECT DISTINCT c.name FROM wordings w JOIN conversations c ON c.key = w.turn_of "
                "WHERE w.conversation = ? AND w.memory = ? ORDER BY c.key",
                (self._conversations.key(memory.scope), memory.id),
            )
            found.update((dataclasses.replace(memory.scope, conversation=n), None) for (n,) in rows)
        return tuple(found)

    def said(self, said_in: Scope) -> tuple[tuple[Memory, int, str], ...]:
        """Every wording that a turn of ``said_in`` has: the memory's scope and id, turn, text."""
        rows = self._db.rows(
            "SELECT c.name, w.memory, w.turn, w.text FROM wordings w "
            "JOIN conversations c ON c.key = w.conversation WHERE w.turn_of = ? "
            "ORDER BY w.conversation, w.memory, w.turn",
            (self._conversations.key(said_in),),
        )
        return tuple(
            (
                Memory(
                    id=id, scope=dataclasses.replace(said_in, conversation=name), text=text,
                    source="", turn=turn,
                ),
                turn, text,
            )
            for name, id, turn, text in rows
        )  # fmt: skip

    def reword(self, memory: Memory, said_in: Scope, *, turn: int, old: str, new: str) -> None:
        """Write other words into a wording; without any it goes."""
        with self._db.transaction():
            place = (self._conversations.key(memory.scope), memory.id,
                     self._conversations.key(said_in), turn)  # fmt: skip
            self._db.write(
                "DELETE FROM wordings WHERE conversation = ? AND memory = ? AND turn_of = ? "
                "AND turn = ? AND text = ?",
                (*place, old),
            )
            if new.strip():
                self._db.write(
                    "INSERT OR IGNORE INTO wordings VALUES (?, ?, ?, ?, ?)", (*place, new)
                )

    def drop(self, memory: Memory, said_in: Scope, *, turn: int) -> None:
        """Take back that a turn says a memory in words of its own."""
        with self._db.transaction():
            self._db.write(
                "DELETE FROM wordings WHERE conversation = ? AND memory = ? AND turn_of = ? "
                "AND turn = ?",
                (
                    self._conversations.key(memory.scope), memory.id,
                    self._conversations.key(said_in), turn,
                ),
            )  # fmt: skip

    def delete(self, memories: Sequence[Memory]) -> None:
        """Delete the wordings of memories that go."""
        with self._db.transaction():
            self._db.write_many(
                "DELETE FROM wordings WHERE conversation = ? AND memory = ?",
                [(self._conversations.key(memory.scope), memory.id) for memory in memories],
            )
