"""The step that lets a deletion record know again what was forgotten, without keeping it.

``forgotten`` holds keyed hashes of the forms of each forgotten value, and ``forgotten_places``
up to which turn of each conversation it was forgotten. The key is not in the database.
"""

from __future__ import annotations

from palimpsest.store.database import Database


def m009_deletions(db: Database) -> None:
    """Who asked, how many of each kind went, and the keyed hashes of the values."""
    for statement in _STATEMENTS:
        db.write(statement)


_STATEMENTS = (
    "ALTER TABLE deletions ADD COLUMN asked_by TEXT NOT NULL DEFAULT 'application'",
    "ALTER TABLE deletions ADD COLUMN turn INTEGER",
    "ALTER TABLE deletions ADD COLUMN reach TEXT NOT NULL DEFAULT 'conversation'",
    "ALTER TABLE deletions ADD COLUMN counts TEXT NOT NULL DEFAULT '{}'",
    "ALTER TABLE deletions ADD COLUMN key TEXT NOT NULL DEFAULT ''",
    """CREATE TABLE forgotten_values (
        conversation INTEGER NOT NULL REFERENCES conversations (key),
        deletion INTEGER NOT NULL, part INTEGER NOT NULL, words INTEGER NOT NULL,
        lifted_at TEXT, lifted_turn INTEGER, PRIMARY KEY (conversation, deletion, part)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE forgotten (
        hash TEXT NOT NULL, conversation INTEGER NOT NULL REFERENCES conversations (key),
        deletion INTEGER NOT NULL, part INTEGER NOT NULL,
        PRIMARY KEY (hash, conversation, deletion, part)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE forgotten_places (
        place INTEGER NOT NULL REFERENCES conversations (key),
        conversation INTEGER NOT NULL REFERENCES conversations (key),
        deletion INTEGER NOT NULL, until INTEGER NOT NULL,
        PRIMARY KEY (place, conversation, deletion)
    ) STRICT, WITHOUT ROWID""",
)
