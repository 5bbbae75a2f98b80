"""Which turns were read for what to remember, and which still wait for it.

Invariant: a turn has one row at most; only a pending or failed one can be finished, so what a
reading proposed is applied once.
"""

from __future__ import annotations

from collections.abc import Callable

from palimpsest.proposals import Reflection, ReflectionStatus, Usage
from palimpsest.store.conversations import Conversations
from palimpsest.store.database import Database, Row
from palimpsest.types import Scope

_COLUMNS = (
    "turn, status, read, attempts, error, extractor, calls, prompt_tokens, answer_tokens, created_at, "
    "finished_at"
)


class Reflections:
    """The reflections of every conversation."""

    def __init__(self, db: Database, conversations: Conversations, now: Callable[[], str]) -> None:
        self._db = db
        self._conversations = conversations
        self._now = now

    def expect(self, scope: Scope, turn: int, *, messages: int) -> None:
        """Mark a turn of so many messages as waiting; only those not yet read are to be read."""
        with self._db.transaction():
            self._db.write(
                "INSERT INTO reflections (conversation, turn, status, created_at) "
                "VALUES (?, ?, 'pending', ?) ON CONFLICT (conversation, turn) "
                "DO UPDATE SET status = 'pending' WHERE read < ?",
                (self._conversations.ensure(scope), turn, self._now(), messages),
            )

    def shorten(self, scope: Scope, turn: int, *, messages: int) -> None:
        """A turn has so many messages by now, fewer than before; none takes its row away."""
        at = (self._conversations.key(scope), turn)
        with self._db.transaction():
            if messages:
                self._db.write(
                    "UPDATE reflections SET read = min(read, ?) WHERE conversation = ? AND turn = ?",
                    (messages, *at),
                )
            else:
                self._db.write("DELETE FROM reflections WHERE conversation = ? AND turn = ?", at)

    def pending(self, scope: Scope, *, failed: bool = False) -> tuple[int, ...]:
        """The turns that wait, oldest first; those that failed too where asked."""
        rows = self._db.rows(
            "SELECT turn FROM reflections WHERE conversation = ? AND status IN (?, ?) ORDER BY turn",
            (self._conversations.key(scope), "pending", "failed" if failed else "pending"),
        )
        return tuple(turn for (turn,) in rows)

    def waiting(self) -> tuple[tuple[Scope, int], ...]:
        """The first turn that waits in each conversation, the one that waits longest first."""
        rows = self._db.rows(
            "SELECT c.user, c.name, min(r.turn) FROM reflections r "
            "JOIN conversations c ON c.key = r.conversation "
            "WHERE r.status <> 'done' AND r.status = 'pending' "
            "GROUP BY r.conversation ORDER BY min(r.created_at), r.conversation"
        )
        return tuple((Scope(user=user, conversation=name), turn) for user, name, turn in rows)

    def waiting_of(self, user: str) -> tuple[str, ...]:
        """A user's conversations with turns that wait, by when the first of these was said."""
        rows = self._db.rows(
            "SELECT c.name FROM reflections r JOIN conversations c ON c.key = r.conversation "
            "JOIN turns t ON t.conversation = r.conversation AND t.number = r.turn "
            "WHERE r.status <> 'done' AND r.status = 'pending' AND c.user = ? "
            "GROUP BY r.conversation ORDER BY min(t.created_at), r.conversation",
            (user,),
        )
        return tuple(name for (name,) in rows)

    def get(self, scope: Scope, turn: int) -> Reflection | None:
        """The reflection of a turn, or ``None`` where it was never to be read."""
        found = self._db.row(
            f"SELECT {_COLUMNS} FROM reflections WHERE conversation = ? AND turn = ?",
            (self._conversations.key(scope), turn),
        )
        return _reflection(found) if found else None

    def of(self, scope: Scope) -> tuple[Reflection, ...]:
        """All of a scope, by turn."""
        rows = self._db.rows(
            f"SELECT {_COLUMNS} FROM reflections WHERE conversation = ? ORDER BY turn",
            (self._conversations.key(scope),),
        )
        return tuple(map(_reflection, rows))

    def used_on(self, scope: Scope, day: str) -> int:
        """The tokens of the readings that a user's conversations finished on a day."""
        return self._db.number(
            "SELECT sum(r.prompt_tokens + r.answer_tokens) FROM conversations c "
            "JOIN reflections r ON r.conversation = c.key "
            "WHERE c.user = ? AND r.finished_at >= ? AND r.finished_at < ?",
            (scope.user, day, day + "~"),
        )

    def finish(
        self,
        scope: Scope,
        turn: int,
        *,
        status: ReflectionStatus,
        extractor: str,
        usage: Usage,
        read: int = 0,
        error: str = "",
    ) -> bool:
        """Record how a reading ended; False where another one finished it before."""
        with self._db.transaction():
            changed = self._db.write(
                "UPDATE reflections SET status = ?, attempts = attempts + 1, error = ?, "
                "extractor = ?, calls = calls + ?, prompt_tokens = prompt_tokens + ?, "
                "answer_tokens = answer_tokens + ?, finished_at = ?, read = max(read, ?) "
                "WHERE conversation = ? AND turn = ? AND status IN ('pending', 'failed')",
                (
                    status, error, extractor, usage.calls, usage.prompt_tokens,
                    usage.answer_tokens, self._now(), read, self._conversations.key(scope), turn,
                ),
            )  # fmt: skip
        return changed == 1


def _reflection(row: Row) -> Reflection:
    turn, status, read, attempts, error, extractor, calls, prompt, answer, created, finished = row
    return Reflection(
        turn=turn, status=status, read=read, attempts=attempts, error=error, extractor=extractor,
        usage=Usage(calls=calls, prompt_tokens=prompt, answer_tokens=answer),
        created_at=created, finished_at=finished,
    )  # fmt: skip
