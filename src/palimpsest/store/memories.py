"""Memories: the rows of each conversation, and who supersedes whom.

Invariant: a row is current or superseded by a row that exists. Deleting and superseding
are told apart from adding (``retirements``), so that what was retired can be cached.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from palimpsest.store.conversations import Conversations
from palimpsest.store.current import Current, homed, seen
from palimpsest.store.database import Database, Row
from palimpsest.store.lexical_rows import LexicalRows
from palimpsest.store.memory_rows import COLUMNS, memory_of
from palimpsest.types import PLAIN, Memory, Scope, Traits

_COLUMNS_OF_M = ", ".join(f"m.{column.strip()}" for column in COLUMNS.split(","))
_INSERT = (
    "INSERT INTO memories (conversation, id, text, source, attribute, value, turn, created_at, "
    "kind, reach, pinned, hedged, guessed, confidence, valid_from, valid_until) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


class Memories:
    """The memories of every conversation."""

    def __init__(
        self,
        db: Database,
        conversations: Conversations,
        now: Callable[[], str],
        lexical: LexicalRows,
    ) -> None:
        self._db = db
        self._conversations = conversations
        self._now = now
        self._lexical = lexical
        self._current = Current(db)

    def insert(
        self,
        scope: Scope,
        *,
        text: str,
        source: str,
        attribute: str | None,
        value: str | None,
        turn: int | None,
        traits: Traits = PLAIN,
    ) -> Memory:
        """Store a current row under the next id of its user."""
        with self._db.transaction():
            key = self._conversations.ensure(scope)
            id = self._conversations.next_id(scope, "memory")
            row: Row = (key, id, text, source, attribute, value, turn, self._now(), *_told(traits))
            self._db.write(_INSERT, row)
            self._lexical.put(scope, id)
            self._conversations.touch(key)
            made = self.get(scope, id)
        assert made is not None
        return made

    def supersede(self, scope: Scope, retired: int, by: int) -> None:
        """Mark a current row as replaced by another row."""
        with self._db.transaction():
            key = self._conversations.key(scope)
            changed = self._db.write(
                "UPDATE memories SET superseded_by = ?, superseded_at = ? "
                "WHERE conversation = ? AND id = ? AND superseded_by IS NULL",
                (by, self._now(), key, retired),
            )
            assert retired != by, f"memory {retired} cannot supersede itself"
            assert changed == 1, f"memory {retired} is not current"
            self._conversations.touch(key, retired=True)

    def restore(self, scope: Scope, id: int) -> None:
        """Make a replaced row current again."""
        with self._db.transaction():
            key = self._conversations.key(scope)
            self._db.write(
                "UPDATE memories SET superseded_by = NULL, superseded_at = NULL "
                "WHERE conversation = ? AND id = ?",
                (key, id),
            )
            self._conversations.touch(key, retired=True)

    def pin(self, scope: Scope, id: int, *, pinned: bool) -> None:
        """Mark a row as coming before others, or take the mark away."""
        with self._db.transaction():
            key = self._conversations.key(scope)
            self._db.write(
                "UPDATE memories SET pinned = ? WHERE conversation = ? AND id = ?",
                (pinned, key, id),
            )
            self._conversations.touch(key)

    def see(self, scope: Scope, id: int, times: int = 1) -> None:
        """Count further statements of a row."""
        with self._db.transaction():
            key = self._conversations.key(scope)
            self._db.write(
                # Naming ``reach`` redraws the numbers that rows are kept under.
                "UPDATE memories SET seen = seen + ?, reach = reach "
                "WHERE conversation = ? AND id = ?",
                (times, key, id),
            )
            self._conversations.touch(key)

    def rewrite(self, scope: Scope, id: int, *, text: str, value: str | None) -> None:
        """Write another text and value into a row; nothing keeps the old ones."""
        with self._db.transaction():
            key = self._conversations.key(scope)
            self._db.write(
                "UPDATE memories SET text = ?, value = ?, reach = reach "
                "WHERE conversation = ? AND id = ?",
                (text, value, key, id),
            )
            self._lexical.put(scope, id)
            self._conversations.touch(key, retired=True)

    def delete(self, scope: Scope, ids: Sequence[int]) -> None:
        """Delete rows for good."""
        with self._db.transaction():
            key = self._conversations.key(scope)
            self._db.write_many(
                "DELETE FROM memories WHERE conversation = ? AND id = ?",
                [(key, id) for id in ids],
            )
            self._lexical.scrub()
            self._current.drop(scope.user)
            self._conversations.touch(key, retired=True)

    def get(self, scope: Scope, id: int) -> Memory | None:
        """One row, current or not, or ``None``."""
        if not 0 < id < 2**63:
            return None
        return next(iter(self._read(scope, "id = ?", (id,))), None)

    def current(self, scope: Scope, attribute: str | None = None) -> tuple[Memory, ...]:
        """The current rows, oldest first; those of one attribute where it is given."""
        if attribute is None:
            return self._read(scope, "superseded_by IS NULL")
        return self._read(scope, "superseded_by IS NULL AND attribute = ?", (attribute,))

    def visible(self, scope: Scope, attribute: str | None = None) -> tuple[Memory, ...]:
        """The current rows that a conversation can see: its own and its user's global ones.

        Oldest first; each with the scope that it lives in; only those of ``attribute``
        where it is given.
        """
        if attribute is None:
            return self._current.rows(scope)
        return self._seen(scope, "m.superseded_by IS NULL AND m.attribute = ?", (attribute,))

    def reachable(self, scope: Scope, id: int) -> Memory | None:
        """One row of the conversation or a global one of its user, current or not."""
        if not 0 < id < 2**63:
            return None
        return next(iter(self._seen(scope, "m.id = ?", (id,))), None)

    def replaced(self, scope: Scope) -> tuple[Memory, ...]:
        """The replaced rows of the conversation and the replaced global ones of its user."""
        return self._seen(scope, "m.superseded_by IS NOT NULL")

    def labelled(self, scope: Scope) -> tuple[Memory, ...]:
        """The current rows that have an attribute, oldest first."""
        return self._read(scope, "superseded_by IS NULL AND attribute IS NOT NULL")

    def superseded(self, scope: Scope) -> tuple[Memory, ...]:
        """The rows that another one replaced, oldest first."""
        return self._read(scope, "superseded_by IS NOT NULL")

    def of(self, scope: Scope, attribute: str) -> tuple[Memory, ...]:
        """Every row of an attribute, oldest first."""
        return self._read(scope, "attribute = ?", (attribute,))

    def chain(self, scope: Scope, id: int) -> tuple[Memory, ...]:
        """A row with all that it replaced, directly or through others; oldest first.

        A global row may have replaced rows of other conversations of its user.
        """
        rows = self._db.rows(
            "WITH RECURSIVE chain(key, id) AS (SELECT ?, ? UNION "
            "SELECT m.conversation, m.id FROM chain JOIN conversations c ON c.user = ? "
            "JOIN memories m ON m.conversation = c.key AND m.superseded_by = chain.id) "
            f"SELECT c.name, {_COLUMNS_OF_M} FROM chain JOIN memories m "
            "ON m.conversation = chain.key AND m.id = chain.id "
            "JOIN conversations c ON c.key = m.conversation ORDER BY m.id",
            (self._conversations.key(scope), id, scope.user),
        )
        return homed(scope, rows)

    def count(self, scope: Scope, *, current: bool) -> int:
        """How many rows there are."""
        only = " AND superseded_by IS NULL" if current else ""
        return self._db.number(
            f"SELECT count(*) FROM memories WHERE conversation = ?{only}",
            (self._conversations.key(scope),),
        )

    def attributes(self, scope: Scope, limit: int = 20) -> tuple[str, ...]:
        """The attributes that have a current row, sorted."""
        rows = self._db.rows(
            "SELECT DISTINCT attribute FROM memories WHERE conversation = ? AND "
            "superseded_by IS NULL AND attribute IS NOT NULL ORDER BY attribute LIMIT ?",
            (self._conversations.key(scope), limit),
        )
        return tuple(name for (name,) in rows)

    def _seen(self, scope: Scope, where: str, params: Sequence[object] = ()) -> tuple[Memory, ...]:
        return seen(self._db, scope, where, params)

    def _read(self, scope: Scope, where: str, params: Sequence[object] = ()) -> tuple[Memory, ...]:
        rows = self._db.rows(
            f"SELECT {COLUMNS} FROM memories WHERE conversation = ? AND {where} ORDER BY id",
            (self._conversations.key(scope), *params),
        )
        return tuple(memory_of(scope, row) for row in rows)


def _told(traits: Traits) -> Row:
    return (
        traits.kind, traits.reach, traits.pinned, traits.hedged, traits.guessed,
        traits.confidence, traits.valid_from, traits.valid_until,
    )  # fmt: skip
