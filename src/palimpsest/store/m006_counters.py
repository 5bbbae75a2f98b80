"""The step that lets a conversation see global memories, and counts who is served.

Everything here follows from the rows of ``memories`` and is kept by triggers, so no writer
can forget it: which memories are global, a number that changes with any change that
selection could see, and one row of counters a memory.
"""

from __future__ import annotations

from palimpsest.store.database import Database


def m006_counters(db: Database) -> None:
    """Global memories by user, the number of their changes, and counters."""
    for statement in _TABLES:
        db.write(statement)
    for statement in _FILL:
        db.write(statement)
    for name, body in _TRIGGERS.items():
        db.write(f"CREATE TRIGGER {name} {body}")


_TABLES = (
    """CREATE TABLE global_memories (
        user TEXT NOT NULL, id INTEGER NOT NULL,
        conversation INTEGER NOT NULL REFERENCES conversations (key) ON DELETE CASCADE,
        current INTEGER NOT NULL, PRIMARY KEY (user, id)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX current_globals ON global_memories (user, id) WHERE current = 1",
    """CREATE INDEX local_memories ON memories (conversation, id)
        WHERE reach = 'conversation'""",
    """CREATE INDEX current_locals ON memories (conversation, id)
        WHERE reach = 'conversation' AND superseded_by IS NULL""",
    """CREATE TABLE memory_changes (
        user TEXT PRIMARY KEY, number INTEGER NOT NULL, edits INTEGER NOT NULL DEFAULT 0
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE memory_counts (
        user TEXT NOT NULL, id INTEGER NOT NULL,
        conversation INTEGER NOT NULL REFERENCES conversations (key) ON DELETE CASCADE,
        born INTEGER NOT NULL DEFAULT 0, born_of_user INTEGER NOT NULL DEFAULT 0,
        served INTEGER NOT NULL DEFAULT 0, recalled INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (user, id)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE request_counts (
        conversation INTEGER PRIMARY KEY REFERENCES conversations (key) ON DELETE CASCADE,
        counted INTEGER NOT NULL DEFAULT 0, degraded INTEGER NOT NULL DEFAULT 0
    ) STRICT""",
    "ALTER TABLE requests ADD COLUMN degraded TEXT NOT NULL DEFAULT ''",
)
_OF_ALL = "FROM memories m JOIN conversations c ON c.key = m.conversation"
_FILL = (
    (
        f"INSERT INTO global_memories SELECT c.user, m.id, c.key, "
        f"m.superseded_by IS NULL {_OF_ALL} WHERE m.reach = 'global'"
    ),
    f"INSERT INTO memory_counts (user, id, conversation) SELECT c.user, m.id, c.key {_OF_ALL}",
)
_OWNER = "(SELECT user FROM conversations WHERE key = {row}.conversation)"
_GLOBAL = (
    f"INSERT INTO global_memories SELECT {_OWNER.format(row='new')}, new.id, new.conversation, "
    "new.superseded_by IS NULL WHERE new.reach = 'global';"
)
_DRAWN = "abs(random() / 2) + 1"
_ADDED = (
    f"INSERT INTO memory_changes VALUES ({{owner}}, {_DRAWN}, 0) "
    "ON CONFLICT (user) DO UPDATE SET number = excluded.number;"
)
_CHANGED = (
    f"INSERT INTO memory_changes VALUES ({{owner}}, {_DRAWN}, {_DRAWN}) "
    "ON CONFLICT (user) DO UPDATE SET number = excluded.number, edits = excluded.edits;"
)
# A number is drawn, not counted: one that a rollback takes back never returns.
_BORN = (
    "coalesce((SELECT counted FROM request_counts WHERE conversation = new.conversation), 0), "
    "coalesce((SELECT last FROM counters k WHERE k.user = c.user "
    "AND k.name = 'counted request'), 0)"
)
_TRIGGERS = {
    "memory_added": f"""AFTER INSERT ON memories BEGIN
        {_GLOBAL}
        INSERT INTO memory_counts (user, id, conversation, born, born_of_user)
            SELECT c.user, new.id, new.conversation, {_BORN}
            FROM conversations c WHERE c.key = new.conversation;
        {_ADDED.format(owner=_OWNER.format(row="new"))}
    END""",
    "memory_changed": f"""AFTER UPDATE OF superseded_by, kind, reach, pinned, confidence,
            valid_until ON memories BEGIN
        DELETE FROM global_memories WHERE user = {_OWNER.format(row="new")} AND id = new.id;
        {_GLOBAL}
        {_CHANGED.format(owner=_OWNER.format(row="new"))}
    END""",
    "memory_gone": f"""AFTER DELETE ON memories BEGIN
        DELETE FROM global_memories WHERE user = {_OWNER.format(row="old")} AND id = old.id;
        DELETE FROM memory_counts WHERE user = {_OWNER.format(row="old")} AND id = old.id;
        {_CHANGED.format(owner=_OWNER.format(row="old"))}
    END""",
}
