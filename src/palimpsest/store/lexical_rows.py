"""Writes the full-text row of a memory, and takes the words of deleted rows out of the file.

Invariant: a row is written in the transaction of its memory, so one is never without the other.
"""

from __future__ import annotations

from palimpsest.store import lexical_tables as tables
from palimpsest.store.conversations import Conversations
from palimpsest.store.database import Database
from palimpsest.types import Scope


class LexicalRows:
    """Adds and replaces rows; that they are deleted is seen to by the tables."""

    def __init__(self, db: Database, conversations: Conversations) -> None:
        self._db = db
        self._conversations = conversations

    def put(self, scope: Scope, id: int) -> None:
        """Write the row of a memory from the memory itself, in place of an older one."""
        found = self._db.row(
            "SELECT text, attribute FROM memories WHERE conversation = ? AND id = ?",
            (self._conversations.key(scope), id),
        )
        assert found is not None, f"memory {id} is not there"
        self._db.write("INSERT OR IGNORE INTO lexical_users (user) VALUES (?)", (scope.user,))
        row = first_row(self._db, scope.user) + id
        replaced = self._db.write("DELETE FROM lexical WHERE rowid = ?", (row,))
        self._db.write(
            "INSERT INTO lexical (rowid, words) VALUES (?, ?)", (row, tables.words_of(*found))
        )
        if replaced:
            self.scrub()

    def fill(self, scope: Scope) -> None:
        """Make the rows of a conversation's memories that came without them."""
        key = self._conversations.key(scope)
        for (id,) in self._db.rows("SELECT id FROM memories WHERE conversation = ?", (key,)):
            self.put(scope, id)

    def scrub(self) -> None:
        """Take the words of deleted rows out of the index's own pages."""
        if tables.ERASES:
            return
        if tables.levels(self._db) >= tables.MOST_LEVELS:
            self._db.write("INSERT INTO lexical (lexical) VALUES ('rebuild')")
        else:
            self._db.write("INSERT INTO lexical (lexical) VALUES ('optimize')")


def first_row(db: Database, user: str) -> int:
    """The number below the rows of a user; 0 for one without rows."""
    number = db.number("SELECT number FROM lexical_users WHERE user = ?", (user,))
    return number << tables.ID_BITS
