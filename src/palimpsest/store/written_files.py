"""Files that were made from the store: exports and backups, where and when.

A forget cannot reach into them; it can name them. Invariant: a row holds a path and no text
of a user's, and one path has one row, that of its newest writing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from palimpsest.store.database import Database

WrittenKind = Literal["export", "backup", "report", "recording"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenFile:
    """One file that the program wrote from this store."""

    path: str
    kind: WrittenKind
    written_at: str
    """ISO 8601, UTC."""


def m010_written_files(db: Database) -> None:
    """The files that were made from the store."""
    db.write(
        """CREATE TABLE written_files (
            path TEXT PRIMARY KEY, kind TEXT NOT NULL, written_at TEXT NOT NULL
        ) STRICT, WITHOUT ROWID"""
    )


class WrittenFiles:
    """Remembers and lists them."""

    def __init__(self, db: Database, now: Callable[[], str]) -> None:
        self._db = db
        self._now = now

    def add(self, path: str, kind: WrittenKind) -> None:
        """Remember a file, before its first byte is written."""
        with self._db.transaction():
            self._db.write(
                "INSERT OR REPLACE INTO written_files VALUES (?, ?, ?)", (path, kind, self._now())
            )

    def drop(self, path: str) -> None:
        """Forget a file that is no more."""
        with self._db.transaction():
            self._db.write("DELETE FROM written_files WHERE path = ?", (path,))

    def all(self) -> tuple[WrittenFile, ...]:
        """Every file, oldest writing first, whether it is still there or not."""
        rows = self._db.rows("SELECT path, kind, written_at FROM written_files ORDER BY 3, 1")
        return tuple(WrittenFile(path=p, kind=k, written_at=w) for p, k, w in rows)
