"""Requests by id: their ledgers without texts, and the digests of the newest one.

Invariant: a scope keeps its newest ``keep`` ledgers and one list of digests; nothing here
holds what a message said.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from palimpsest.store.conversations import Conversations
from palimpsest.store.database import Database
from palimpsest.types import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRequest:
    """What the store kept of one request."""

    id: str
    strategy: str
    """The printed Spec."""
    tokens: int
    ledger: str
    """The ledger as JSON, without texts."""
    created_at: str
    degraded: str = ""
    """Why it was built without recall by meaning, if it was."""


class Requests:
    """The requests that the engine built for each conversation."""

    def __init__(
        self, db: Database, conversations: Conversations, now: Callable[[], str], *, keep: int
    ) -> None:
        self._db = db
        self._conversations = conversations
        self._now = now
        self._keep = keep

    def record(
        self,
        scope: Scope,
        *,
        id: str,
        strategy: str,
        tokens: int,
        ledger: str,
        prefix: str,
        degraded: str = "",
    ) -> StoredRequest:
        """Keep a ledger (JSON), and its messages' digests (JSON) in place of the last ones."""
        with self._db.transaction():
            key, now = self._conversations.ensure(scope), self._now()
            self._db.write(
                "INSERT INTO requests (conversation, id, strategy, tokens, ledger, created_at, "
                "degraded) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (key, id, strategy, tokens, ledger, now, degraded),
            )
            self._db.write("INSERT OR REPLACE INTO prefixes VALUES (?, ?)", (key, prefix))
            self._db.write(
                "DELETE FROM requests WHERE conversation = ? AND number <= (SELECT number FROM "
                "requests WHERE conversation = ? ORDER BY number DESC LIMIT 1 OFFSET ?)",
                (key, key, self._keep),
            )
        return StoredRequest(
            id=id, strategy=strategy, tokens=tokens, ledger=ledger, created_at=now,
            degraded=degraded,
        )  # fmt: skip

    def get(self, scope: Scope, id: str) -> StoredRequest | None:
        """What was kept of one request, or ``None``."""
        found = self._db.row(
            "SELECT id, strategy, tokens, ledger, created_at, degraded FROM requests "
            "WHERE conversation = ? AND id = ?",
            (self._conversations.key(scope), id),
        )
        if found is None:
            return None
        id, strategy, tokens, ledger, created, degraded = found
        return StoredRequest(
            id=id, strategy=strategy, tokens=tokens, ledger=ledger, created_at=created,
            degraded=degraded,
        )  # fmt: skip

    def newest(self, scope: Scope, limit: int = 20) -> tuple[str, ...]:
        """The ids of the newest requests, newest first."""
        rows = self._db.rows(
            "SELECT id FROM requests WHERE conversation = ? ORDER BY number DESC LIMIT ?",
            (self._conversations.key(scope), limit),
        )
        return tuple(id for (id,) in rows)

    def previous_prefix(self, scope: Scope) -> str | None:
        """The digests that the newest request was recorded with; ``None`` after a forget."""
        found = self._db.row(
            "SELECT messages FROM prefixes WHERE conversation = ?",
            (self._conversations.key(scope),),
        )
        return found[0] if found else None

    def clear_prefix(self, scope: Scope) -> None:
        """Drop the digests: the digest of a text would betray a guess of it."""
        with self._db.transaction():
            self._db.write(
                "DELETE FROM prefixes WHERE conversation = ?", (self._conversations.key(scope),)
            )
