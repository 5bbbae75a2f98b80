"""The step that makes room for vectors, and keeps them no longer than what they stand for.

Vectors are derived from memories. Triggers delete them with the memory and when its text
changes, in the same transaction, so no writer can forget it; and they draw a number for each
change, so that what is kept in memory knows when it is old.
"""

from __future__ import annotations

from palimpsest.store.database import Database


def m008_vectors(db: Database) -> None:
    """Vectors by embedder and memory, and what is known of each embedder."""
    make(db)


def make(db: Database) -> None:
    """Every table and trigger that is not there; none that is there loses a row.

    A table that was dropped took its own triggers along, so each is looked for by itself.
    """
    there = {name for (name,) in db.rows("SELECT name FROM sqlite_master")}
    for name, body in _TABLES.items():
        if name not in there:
            db.write(f"CREATE TABLE {name} {body}")
    for name, body in _TRIGGERS.items():
        if name not in there:
            db.write(f"CREATE TRIGGER {name} {body}")


_TABLES = {
    "embedders": """(
        number INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, dimensions INTEGER NOT NULL,
        complete INTEGER NOT NULL DEFAULT 0,
        holder TEXT NOT NULL DEFAULT '', until REAL NOT NULL DEFAULT 0,
        UNIQUE (name, dimensions), CHECK (dimensions > 0)
    ) STRICT""",
    # Numbers are never given twice, so what is kept under one cannot be mistaken for another.
    "vectors": """(
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        conversation INTEGER NOT NULL, id INTEGER NOT NULL,
        embedder INTEGER NOT NULL REFERENCES embedders (number),
        print BLOB NOT NULL, vector BLOB NOT NULL,
        UNIQUE (conversation, id, embedder)
    ) STRICT""",
    "vector_changes": """(
        user TEXT PRIMARY KEY, number INTEGER NOT NULL, edits INTEGER NOT NULL DEFAULT 0
    ) STRICT, WITHOUT ROWID""",
}
_OWNER = "SELECT user FROM conversations WHERE key = {row}.conversation"
_DRAWN = "abs(random() / 2) + 1"
_TRIGGERS = {
    "vector_added": f"""AFTER INSERT ON vectors BEGIN
        INSERT INTO vector_changes SELECT user, {_DRAWN}, 0
            FROM ({_OWNER.format(row="new")}) WHERE true
            ON CONFLICT (user) DO UPDATE SET number = excluded.number;
    END""",
    "vector_gone": f"""AFTER DELETE ON vectors BEGIN
        INSERT INTO vector_changes SELECT user, {_DRAWN}, {_DRAWN}
            FROM ({_OWNER.format(row="old")}) WHERE true
            ON CONFLICT (user) DO UPDATE SET number = excluded.number, edits = excluded.edits;
    END""",
    "vector_of_gone_memory": """AFTER DELETE ON memories BEGIN
        DELETE FROM vectors WHERE conversation = old.conversation AND id = old.id;
    END""",
    "vector_of_old_text": """AFTER UPDATE OF text ON memories WHEN old.text <> new.text BEGIN
        DELETE FROM vectors WHERE conversation = old.conversation AND id = old.id;
    END""",
}
