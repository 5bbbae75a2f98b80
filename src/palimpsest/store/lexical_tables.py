"""The tables of full-text rows: how they are made, filled and known to be of today.

Derived from the memories alone. A row's number holds its user's number and the memory's id,
so that the rows of one user stand together and a search reads no other's. Invariant: a
memory that is deleted takes its row with it, whoever deletes it.
"""

from __future__ import annotations

import functools
import sqlite3
from importlib import metadata

from palimpsest.language.search_words import SCHEME, kept_words
from palimpsest.store.database import Database

ID_BITS = 40
"""A user has fewer than 2**40 memories."""
ERASES = sqlite3.sqlite_version_info >= (3, 42)
"""True where SQLite takes deleted words out of the index by itself."""

MOST_LEVELS = 1_000
"""From so many levels on the index is built anew: FTS5 takes one of more than 2,000 for damage.

Each ``optimize`` puts what it merged one level higher, and no level is ever taken away.
"""
_STRUCTURE = 10
"""The row of ``lexical_data`` that says which segments the index has, on which levels."""
_EMPTY = bytes(7)
"""That of an index without rows: a number of changes, and no level, segment or write."""

_LAYOUT = 2
_OLDER = ("DROP TRIGGER IF EXISTS lexical_gone", "DROP TABLE IF EXISTS lexical",
          "DROP TABLE IF EXISTS lexical_rows", "DROP TABLE IF EXISTS lexical_users")  # fmt: skip
# Words are folded already: the tokenizer only has to split at blanks, and knows no alphabet.
_TABLES = (
    "CREATE TABLE lexical_users (number INTEGER PRIMARY KEY, user TEXT NOT NULL UNIQUE) STRICT",
    "CREATE VIRTUAL TABLE lexical USING fts5(words, tokenize = 'ascii')",
    f"""CREATE TRIGGER lexical_gone AFTER DELETE ON memories BEGIN
        DELETE FROM lexical WHERE rowid = old.id + (
            SELECT u.number << {ID_BITS} FROM conversations c
            JOIN lexical_users u ON u.user = c.user WHERE c.key = old.conversation);
    END""",
)
DUE = (
    f"SELECT (u.number << {ID_BITS}) + m.id, m.text, m.attribute FROM memories m "
    "JOIN conversations c ON c.key = m.conversation LEFT JOIN lexical_users u ON u.user = c.user"
)
"""Every memory with the number that its row has."""


def m007_index(db: Database) -> None:
    """Full-text rows, filled from the memories that are there."""
    make(db)


def make(db: Database) -> None:
    """Make the tables anew and fill them, in the transaction that is open."""
    for statement in (*_OLDER, *_TABLES):
        db.write(statement)
    if ERASES:
        db.write("INSERT INTO lexical (lexical, rank) VALUES ('secure-delete', 1)")
    db.write(
        "INSERT INTO lexical_users (user) SELECT DISTINCT c.user FROM conversations c "
        "WHERE EXISTS (SELECT 1 FROM memories WHERE conversation = c.key) ORDER BY c.key"
    )
    db.write_many(
        "INSERT INTO lexical (rowid, words) VALUES (?, ?)",
        ((number, words_of(text, attribute)) for number, text, attribute in db.rows(DUE)),
    )
    db.write("INSERT OR REPLACE INTO meta VALUES ('lexical', ?)", (_stamp(),))


def of_today(db: Database) -> bool:
    """True where the rows were made as this version makes them."""
    found = db.row("SELECT value FROM meta WHERE key = 'lexical'")
    return found is not None and found[0] == _stamp()


def levels(db: Database) -> int:
    """How many levels the index has; read beside FTS5, which refuses to open too many."""
    found = db.row("SELECT block FROM lexical_data WHERE id = ?", (_STRUCTURE,))
    number = 0
    for byte in found[0][4:] if found else b"":
        number = number << 7 | byte & 0x7F
        if byte < 0x80:
            break
    return number


def rebuild(db: Database) -> None:
    """Build the index anew from its rows, on as few levels as there are; it holds no older word."""
    db.write("UPDATE lexical_data SET block = ? WHERE id = ?", (_EMPTY, _STRUCTURE))
    db.write("INSERT INTO lexical (lexical) VALUES ('rebuild')")


def words_of(text: str, attribute: str | None) -> str:
    """What is kept of a memory: the words of its text and those of its attribute."""
    return " ".join(dict.fromkeys((*kept_words(text), *kept_words(attribute or ""))))


@functools.cache
def _stamp() -> str:
    """Whatever decides which words a text gives; another library may stem otherwise."""
    made = [f"{name} {metadata.version(name)}" for name in ("snowballstemmer", "stop-words")]
    return "; ".join((f"layout {_LAYOUT}", f"scheme {SCHEME}", *made))
