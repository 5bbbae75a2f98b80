"""Full-text rows of memories: what lexical recall searches. Derived, never the truth.

Invariant: rows are written and deleted in the transaction of the memory they stand for, and
a search joins with the memories, so it returns nothing that is gone, replaced or unseen.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping

from palimpsest.language.content_words import content_list, content_words
from palimpsest.store.conversations import Conversations
from palimpsest.store.database import Database
from palimpsest.types import Scope

# Words are letters, marks and digits, folded already: the tokenizer only splits at blanks.
_TABLES = (
    """CREATE TABLE lexical_rows (
        number INTEGER PRIMARY KEY, conversation INTEGER NOT NULL, id INTEGER NOT NULL,
        UNIQUE (conversation, id)
    ) STRICT""",
    """CREATE VIRTUAL TABLE lexical USING fts5(words,
        tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N*'")""",
    """CREATE TRIGGER lexical_gone AFTER DELETE ON memories BEGIN
        DELETE FROM lexical WHERE rowid = (SELECT number FROM lexical_rows
            WHERE conversation = old.conversation AND id = old.id);
        DELETE FROM lexical_rows WHERE conversation = old.conversation AND id = old.id;
    END""",
)
_ERASES = sqlite3.sqlite_version_info >= (3, 42)
_MOST_WORDS = 64


def m007_index(db: Database) -> None:
    """Full-text rows, filled from the memories that are there."""
    for statement in _TABLES:
        db.write(statement)
    if _ERASES:
        db.write("INSERT INTO lexical (lexical, rank) VALUES ('secure-delete', 1)")
    _fill(db)


def _fill(db: Database) -> None:
    for key, id, text in db.rows("SELECT conversation, id, text FROM memories"):
        _add(db, key, id, text)


def _add(db: Database, key: int | None, id: int, text: str) -> None:
    db.write("INSERT INTO lexical_rows (conversation, id) VALUES (?, ?)", (key, id))
    db.write(
        "INSERT INTO lexical (rowid, words) VALUES (last_insert_rowid(), ?)",
        (" ".join(content_list(text)),),
    )


class Lexical:
    """Adds, replaces, erases and searches full-text rows."""

    def __init__(self, db: Database, conversations: Conversations) -> None:
        self._db = db
        self._conversations = conversations

    def put(self, scope: Scope, id: int, text: str) -> None:
        """Write the row of a memory, in place of an older one."""
        key = self._conversations.key(scope)
        mine = "WHERE conversation = ? AND id = ?"
        replaced = self._db.write(
            f"DELETE FROM lexical WHERE rowid = (SELECT number FROM lexical_rows {mine})",
            (key, id),
        )
        self._db.write(f"DELETE FROM lexical_rows {mine}", (key, id))
        _add(self._db, key, id, text)
        if replaced:
            self.scrub()

    def fill(self, scope: Scope) -> None:
        """Make the rows of a conversation's memories that came without them."""
        key = self._conversations.key(scope)
        for id, text in self._db.rows(
            "SELECT id, text FROM memories WHERE conversation = ?", (key,)
        ):
            self.put(scope, id, text)

    def scrub(self) -> None:
        """Take the words of deleted rows out of the index's own pages."""
        if not _ERASES:
            self._db.write("INSERT INTO lexical (lexical) VALUES ('optimize')")

    def rebuild(self) -> None:
        """Make every row anew from the memories."""
        with self._db.transaction():
            self._db.write("DELETE FROM lexical")
            self._db.write("DELETE FROM lexical_rows")
            _fill(self._db)
            self.scrub()

    def search(self, scope: Scope, question: str, *, limit: int = 64) -> Mapping[int, float]:
        """Scores of the current memories that share a word with the question, best first."""
        words = sorted(content_words(question))[:_MOST_WORDS]
        if not words:
            return {}
        rows: Iterable[tuple[int, float]] = self._db.rows(
            "SELECT m.id, -bm25(lexical) FROM lexical "
            "CROSS JOIN lexical_rows r ON r.number = lexical.rowid "
            "CROSS JOIN memories m ON m.conversation = r.conversation AND m.id = r.id "
            "CROSS JOIN conversations c ON c.key = m.conversation "
            "WHERE lexical MATCH ? AND c.user = ? AND m.superseded_by IS NULL "
            "AND (c.name = ? OR m.reach = 'global') ORDER BY 2 DESC, m.id DESC LIMIT ?",
            (" OR ".join(f'"{word}"' for word in words), scope.user, scope.conversation, limit),
        )
        return dict(rows)
