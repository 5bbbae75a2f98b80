"""Where an imported conversation came from.

Invariant: a row holds names that a source gave to conversations, and no text of anybody's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from palimpsest.store.conversations import NO_KEY, Conversations
from palimpsest.store.database import Database
from palimpsest.types import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where one conversation came from."""

    format: str
    source: str
    """The id that the source gives; empty where it gives none."""
    imported_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """How a conversation without a name of its own begins."""

    name: str
    """What it is called here."""
    first: str
    """The messages of its first turn, as they are stored."""
    second: str
    """Those of its second; empty where it has none."""
    gaps: bool
    """A correction or a forget reached into them."""


def m013_origins(db: Database) -> None:
    """Where imported conversations came from."""
    db.write(
        """CREATE TABLE origins (
            conversation INTEGER PRIMARY KEY REFERENCES conversations (key),
            format TEXT NOT NULL, source TEXT NOT NULL, imported_at TEXT NOT NULL
        ) STRICT"""
    )
    db.write("CREATE INDEX origin_sources ON origins (format, source)")


class Origins:
    """The origins of all conversations."""

    def __init__(self, db: Database, conversations: Conversations, now: Callable[[], str]) -> None:
        self._db = db
        self._conversations = conversations
        self._now = now

    def put(self, scope: Scope, *, format: str, source: str) -> None:
        """Record where a conversation comes from."""
        with self._db.transaction():
            self._db.write(
                "INSERT INTO origins VALUES (?, ?, ?, ?)",
                (self._conversations.ensure(scope), format, source, self._now()),
            )

    def of(self, scope: Scope) -> Origin | None:
        """Where a conversation came from; ``None`` for one that was not imported."""
        found = self._db.row(
            "SELECT format, source, imported_at FROM origins WHERE conversation = ?",
            (self._conversations.key(scope),),
        )
        return Origin(format=found[0], source=found[1], imported_at=found[2]) if found else None

    def named(self, user: str, format: str, source: str) -> tuple[str, ...]:
        """The conversations of a user that come from one of a source, the first one first."""
        rows = self._db.rows(
            "SELECT c.name FROM origins o JOIN conversations c ON c.key = o.conversation "
            "WHERE o.format = ? AND o.source = ? AND c.user = ? ORDER BY c.key",
            (format, source, user),
        )
        return tuple(name for (name,) in rows)

    def openings(self, user: str, format: str) -> Iterator[Opening]:
        """The first turns of every conversation that the source gives no name."""
        above = NO_KEY
        while rows := self._db.rows(_OPENINGS, (format, user, above)):
            for _, name, first, second, gaps in rows:
                yield Opening(name=name, first=first, second=second or "", gaps=bool(gaps))
            above = rows[-1][0]


_OPENINGS = """SELECT c.key, c.name, t.messages, s.messages, EXISTS (
        SELECT 1 FROM redactions r WHERE r.conversation = c.key AND r.turn IN (1, 2))
    FROM origins o JOIN conversations c ON c.key = o.conversation
    JOIN turns t ON t.conversation = c.key AND t.number = 1
    LEFT JOIN turns s ON s.conversation = c.key AND s.number = 2
    WHERE o.format = ? AND o.source = '' AND c.user = ? AND c.key > ?
    ORDER BY c.key LIMIT 500"""
