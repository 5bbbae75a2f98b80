"""What was done to a scope: redacted spans, deletions and resolutions.

Invariant: none of these records holds a text or a value.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence

from palimpsest.store.conversations import Conversations
from palimpsest.store.database import Database
from palimpsest.types import (
    AskedBy,
    Deletion,
    Reach,
    Redaction,
    RedactionReason,
    Resolution,
    ResolutionRule,
    Scope,
    canonical,
)


class Redactions:
    """The spans of turns that no managed request carries."""

    def __init__(self, db: Database, conversations: Conversations) -> None:
        self._db = db
        self._conversations = conversations

    def of(self, scope: Scope, turn: int) -> tuple[Redaction, ...]:
        """The spans of a turn, by message, text and place; they never overlap."""
        rows = self._db.rows(
            'SELECT message, text, start, "end", reason FROM redactions '
            "WHERE conversation = ? AND turn = ? ORDER BY message, text, start",
            (self._conversations.key(scope), turn),
        )
        return tuple(
            Redaction(turn=turn, message=m, text=t, start=s, end=e, reason=r)
            for m, t, s, e, r in rows
        )

    def clear(self, scope: Scope, reason: RedactionReason) -> None:
        """Take every span of one reason away."""
        with self._db.transaction():
            key = self._conversations.key(scope)
            self._db.write(
                "DELETE FROM redactions WHERE conversation = ? AND reason = ?", (key, reason)
            )
            self._conversations.touch(key)

    def put(self, scope: Scope, turn: int, spans: Sequence[Redaction]) -> None:
        """Make ``spans`` all the spans that a turn has."""
        with self._db.transaction():
            key = self._conversations.key(scope)
            self._db.write(
                "DELETE FROM redactions WHERE conversation = ? AND turn = ?", (key, turn)
            )
            self._db.write_many(
                "INSERT INTO redactions VALUES (?, ?, ?, ?, ?, ?, ?)",
                [(key, turn, s.message, s.text, s.start, s.end, s.reason) for s in spans],
            )
            self._conversations.touch(key)


class Deletions:
    """The records that forgets left."""

    def __init__(self, db: Database, conversations: Conversations, now: Callable[[], str]) -> None:
        self._db = db
        self._conversations = conversations
        self._now = now

    def add(
        self,
        scope: Scope,
        *,
        attribute: str | None,
        reason: str,
        rows: int,
        asked_by: AskedBy = "application",
        turn: int | None = None,
        reach: Reach = "conversation",
    ) -> Deletion:
        """Record that ``rows`` memory rows were deleted."""
        with self._db.transaction():
            key = self._conversations.ensure(scope)
            made = Deletion(
                id=self._conversations.next_id(scope, "deletion"), attribute=attribute,
                reason=reason, rows=rows, created_at=self._now(), asked_by=asked_by, turn=turn,
                reach=reach,
            )  # fmt: skip
            self._db.write(
                "INSERT INTO deletions (conversation, id, attribute, reason, rows, created_at, "
                "asked_by, turn, reach) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (key, made.id, attribute, reason, rows, made.created_at, asked_by, turn, reach),
            )
        return made

    def drop(self, scope: Scope, ids: Iterable[int]) -> None:
        """Take records away with what they know; for those that say what others say already."""
        with self._db.transaction():
            key = self._conversations.key(scope)
            for id in ids:
                for table in ("forgotten", "forgotten_values", "forgotten_places"):
                    self._db.write(
                        f"DELETE FROM {table} WHERE conversation = ? AND deletion = ?", (key, id)
                    )
                self._db.write("DELETE FROM deletions WHERE conversation = ? AND id = ?", (key, id))

    def count(self, scope: Scope, id: int, counts: Mapping[str, int]) -> None:
        """Record how many of each kind lost something."""
        with self._db.transaction():
            self._db.write(
                "UPDATE deletions SET counts = ? WHERE conversation = ? AND id = ?",
                (canonical(dict(counts)), self._conversations.key(scope), id),
            )

    def of(self, scope: Scope) -> tuple[Deletion, ...]:
        """All of a scope, oldest first."""
        rows = self._db.rows(
            "SELECT d.id, d.attribute, d.reason, d.rows, d.created_at, d.asked_by, d.turn, "
            "d.reach, d.counts, count(v.part), count(v.lifted_at) FROM deletions d "
            "LEFT JOIN forgotten_values v ON v.conversation = d.conversation AND v.deletion = d.id "
            "WHERE d.conversation = ? GROUP BY d.id ORDER BY d.id",
            (self._conversations.key(scope),),
        )
        return tuple(
            Deletion(
                id=id, attribute=attribute, reason=reason, rows=gone, created_at=created,
                asked_by=by, turn=turn, reach=reach, counts=tuple(json.loads(counts).items()),
                values=values, lifted=lifted,
            )
            for id, attribute, reason, gone, created, by, turn, reach, counts, values, lifted in rows
        )  # fmt: skip


class Resolutions:
    """The decisions of consolidation."""

    def __init__(self, db: Database, conversations: Conversations, now: Callable[[], str]) -> None:
        self._db = db
        self._conversations = conversations
        self._now = now

    def add(self, scope: Scope, *, kept: int, retired: int, rule: ResolutionRule) -> Resolution:
        """Record which row stayed, which went, and why."""
        with self._db.transaction():
            key = self._conversations.ensure(scope)
            made = Resolution(
                id=self._conversations.next_id(scope, "resolution"), kept=kept, retired=retired,
                rule=rule, created_at=self._now(),
            )  # fmt: skip
            self._db.write(
                "INSERT INTO resolutions VALUES (?, ?, ?, ?, ?, ?)",
                (key, made.id, kept, retired, rule, made.created_at),
            )
        return made

    def of(self, scope: Scope) -> tuple[Resolution, ...]:
        """All of a scope, oldest first."""
        rows = self._db.rows(
            "SELECT id, kept, retired, rule, created_at FROM resolutions "
            "WHERE conversation = ? ORDER BY id",
            (self._conversations.key(scope),),
        )
        return tuple(
            Resolution(id=i, kept=k, retired=t, rule=r, created_at=c) for i, k, t, r, c in rows
        )
