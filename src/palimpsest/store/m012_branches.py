"""The step that lets a history that comes again be recognised, and a changed one branch off.

``trails`` holds a keyed hash of everything that was said up to the end of each turn; it is
derived and never older than its turns, since triggers drop what a changed turn is part of.
``branches`` says which conversation shares its first turns with which.
"""

from __future__ import annotations

from palimpsest.store.database import Database


def m012_branches(db: Database) -> None:
    """Branches of conversations, and the trail of hashes that finds a conversation again."""
    for statement in _STATEMENTS:
        db.write(statement)


_STATEMENTS = (
    """CREATE TABLE branches (
        conversation INTEGER PRIMARY KEY REFERENCES conversations (key),
        parent INTEGER NOT NULL REFERENCES conversations (key), fork INTEGER NOT NULL
    ) STRICT""",
    "CREATE INDEX branches_of ON branches (parent)",
    """CREATE TABLE trails (
        conversation INTEGER NOT NULL REFERENCES conversations (key),
        turn INTEGER NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (conversation, turn)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX trail_hashes ON trails (hash, conversation, turn) WHERE hash <> ''",
    "CREATE INDEX broken_trails ON trails (conversation, turn) WHERE hash = ''",
    """CREATE TRIGGER trail_of_changed_turn AFTER UPDATE OF messages ON turns BEGIN
        DELETE FROM trails WHERE conversation = old.conversation AND turn >= old.number;
    END""",
    """CREATE TRIGGER trail_of_gone_turn AFTER DELETE ON turns BEGIN
        DELETE FROM trails WHERE conversation = old.conversation AND turn >= old.number;
    END""",
)
