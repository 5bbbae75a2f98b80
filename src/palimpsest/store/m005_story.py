"""The step that gives a conversation its story: summary, anchors, positions, state."""

from __future__ import annotations

from palimpsest.store.database import Database


def m005_story(db: Database) -> None:
    """One summary a conversation, and rows for what the code holds beside it."""
    for statement in _TABLES:
        db.write(statement)


_TABLES = (
    """CREATE TABLE stories (
        conversation INTEGER PRIMARY KEY REFERENCES conversations (key), summary TEXT NOT NULL
    ) STRICT""",
    """CREATE TABLE anchors (
        conversation INTEGER NOT NULL REFERENCES conversations (key),
        id INTEGER NOT NULL, text TEXT NOT NULL, turn INTEGER, removed_for TEXT,
        PRIMARY KEY (conversation, id)
    ) STRICT""",
    """CREATE TABLE positions (
        conversation INTEGER NOT NULL REFERENCES conversations (key),
        subject TEXT NOT NULL, text TEXT NOT NULL, justification TEXT NOT NULL,
        validated_turn INTEGER NOT NULL, PRIMARY KEY (conversation, subject)
    ) STRICT""",
    """CREATE TABLE states (
        conversation INTEGER NOT NULL REFERENCES conversations (key),
        name TEXT NOT NULL, value REAL NOT NULL, PRIMARY KEY (conversation, name)
    ) STRICT""",
)
