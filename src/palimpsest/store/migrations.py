"""The schema, as steps that are each applied in one transaction with their own record.

Invariant: a database holds exactly the steps that its ``migrations`` table names, so a
crash between two steps loses nothing. ``applied`` and ``pending`` never write.
"""

from __future__ import annotations

import secrets
import unicodedata
from collections.abc import Callable

from palimpsest.errors import NewerSchema
from palimpsest.store.database import Database
from palimpsest.store.keys import m011_keys
from palimpsest.store.lexical_tables import m007_index
from palimpsest.store.m005_story import m005_story
from palimpsest.store.m006_counters import m006_counters
from palimpsest.store.m008_vectors import m008_vectors
from palimpsest.store.m009_deletions import m009_deletions
from palimpsest.store.m012_branches import m012_branches
from palimpsest.store.m015_statements import m015_statements
from palimpsest.store.origins import m013_origins
from palimpsest.store.withheld import m014_withheld
from palimpsest.store.written_files import m010_written_files

APPLICATION_ID = 0x50414C49
"""``PALI`` in the header of the file: how we know that a database is ours."""

Step = Callable[[Database], None]


def m001_base(db: Database) -> None:
    """Conversations, turns, memories, what was done to them, and requests."""
    for statement in _BASE:
        db.write(statement)
    db.write("INSERT INTO meta VALUES ('salt', ?)", (secrets.token_hex(16),))


def m002_hidden(db: Database) -> None:
    """Turns that hide letters are marked, and an attribute has one spelling.

    Older turns count as hiding some: they are read whenever something is looked for.
    """
    db.write("ALTER TABLE turns ADD COLUMN hidden INTEGER NOT NULL DEFAULT 1")
    for table in ("memories", "deletions"):
        for (name,) in db.rows(f"SELECT DISTINCT attribute FROM {table}"):
            if name is not None and not unicodedata.is_normalized("NFC", name):
                one = unicodedata.normalize("NFC", name)
                db.write(f"UPDATE {table} SET attribute = ? WHERE attribute = ?", (one, name))


def m003_kinds(db: Database) -> None:
    """What a memory is beside its words: kind, reach, pin, reservation, validity."""
    for column in (
        "kind TEXT NOT NULL DEFAULT 'fact'", "reach TEXT NOT NULL DEFAULT 'conversation'",
        "pinned INTEGER NOT NULL DEFAULT 0", "hedged INTEGER NOT NULL DEFAULT 0",
        "guessed INTEGER NOT NULL DEFAULT 0", "confidence REAL", "valid_from TEXT",
        "valid_until TEXT",
    ):  # fmt: skip
        db.write(f"ALTER TABLE memories ADD COLUMN {column}")


def m004_reflection(db: Database) -> None:
    """Which turns were read for what to remember, and what became of each proposal."""
    for statement in _REFLECTION:
        db.write(statement)


STEPS: tuple[Step, ...] = (
    m001_base,
    m002_hidden,
    m003_kinds,
    m004_reflection,
    m005_story,
    m006_counters,
    m007_index,
    m008_vectors,
    m009_deletions,
    m010_written_files,
    m011_keys,
    m012_branches,
    m013_origins,
    m014_withheld,
    m015_statements,
)


def applied(db: Database) -> tuple[str, ...]:
    """The names of the steps that the database holds, in order."""
    if not db.row("SELECT 1 FROM sqlite_master WHERE type='table' AND name='migrations'"):
        return ()
    return tuple(name for (name,) in db.rows("SELECT id FROM migrations ORDER BY id"))


def pending(db: Database) -> tuple[Step, ...]:
    """The steps that are still to be applied; raises NewerSchema."""
    held = applied(db)
    known = [step.__name__ for step in STEPS]
    if unknown := [name for name in held if name not in known]:
        raise NewerSchema(
            f"{db.path!r} has schema {unknown[-1]!r}, which a newer palimpsest made; this one "
            f"knows up to {known[-1]!r}: upgrade with 'pip install -U palimpsest-memory'"
        )
    return tuple(step for step in STEPS if step.__name__ not in held)


def migrate(db: Database, now: str) -> None:
    """Apply what is pending, one transaction a step."""
    while pending(db):
        with db.transaction():
            # Another process may have applied it while this one waited for the lock.
            if steps := pending(db):
                _apply(db, steps[0], now)


def _apply(db: Database, step: Step, now: str) -> None:
    db.write(
        "CREATE TABLE IF NOT EXISTS migrations "
        "(id TEXT PRIMARY KEY, applied_at TEXT NOT NULL) STRICT, WITHOUT ROWID"
    )
    step(db)
    db.write("INSERT INTO migrations VALUES (?, ?)", (step.__name__, now))
    db.write(f"PRAGMA user_version = {len(applied(db))}")
    db.write(f"PRAGMA application_id = {APPLICATION_ID}")


_BASE = (
    """CREATE TABLE meta (
        key TEXT PRIMARY KEY, value TEXT NOT NULL
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE counters (
        user TEXT NOT NULL, name TEXT NOT NULL, last INTEGER NOT NULL,
        PRIMARY KEY (user, name)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE conversations (
        key INTEGER PRIMARY KEY, user TEXT NOT NULL, name TEXT NOT NULL,
        last_turn INTEGER NOT NULL DEFAULT 0, revision INTEGER NOT NULL DEFAULT 0,
        retirements INTEGER NOT NULL DEFAULT 0, created_at TEXT NOT NULL,
        UNIQUE (user, name), CHECK (user <> '' AND name <> '')
    ) STRICT""",
    """CREATE TABLE turns (
        conversation INTEGER NOT NULL REFERENCES conversations (key),
        number INTEGER NOT NULL, messages TEXT NOT NULL, open INTEGER NOT NULL,
        created_at TEXT NOT NULL, PRIMARY KEY (conversation, number)
    ) STRICT""",
    "CREATE INDEX open_turns ON turns (conversation, number) WHERE open = 1",
    """CREATE TABLE memories (
        conversation INTEGER NOT NULL REFERENCES conversations (key),
        id INTEGER NOT NULL, text TEXT NOT NULL, source TEXT NOT NULL,
        attribute TEXT, value TEXT, turn INTEGER, created_at TEXT NOT NULL,
        superseded_by INTEGER, superseded_at TEXT, seen INTEGER NOT NULL DEFAULT 1,
        PRIMARY KEY (conversation, id)
    ) STRICT""",
    """CREATE INDEX current_memories ON memories (conversation, id)
        WHERE superseded_by IS NULL""",
    "CREATE INDEX memory_attributes ON memories (conversation, attribute, id)",
    """CREATE INDEX current_attributes ON memories (conversation, attribute, id)
        WHERE superseded_by IS NULL""",
    """CREATE INDEX superseded_memories ON memories (conversation, superseded_by, id)
        WHERE superseded_by IS NOT NULL""",
    """CREATE TABLE redactions (
        conversation INTEGER NOT NULL REFERENCES conversations (key),
        turn INTEGER NOT NULL, message INTEGER NOT NULL, text INTEGER NOT NULL,
        start INTEGER NOT NULL, "end" INTEGER NOT NULL, reason TEXT NOT NULL,
        PRIMARY KEY (conversation, turn, message, text, start)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE deletions (
        conversation INTEGER NOT NULL REFERENCES conversations (key),
        id INTEGER NOT NULL, attribute TEXT, reason TEXT NOT NULL,
        rows INTEGER NOT NULL, created_at TEXT NOT NULL, PRIMARY KEY (conversation, id)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE resolutions (
        conversation INTEGER NOT NULL REFERENCES conversations (key),
        id INTEGER NOT NULL, kept INTEGER NOT NULL, retired INTEGER NOT NULL,
        rule TEXT NOT NULL, created_at TEXT NOT NULL, PRIMARY KEY (conversation, id)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE requests (
        number INTEGER PRIMARY KEY,
        conversation INTEGER NOT NULL REFERENCES conversations (key),
        id TEXT NOT NULL, strategy TEXT NOT NULL, tokens INTEGER NOT NULL,
        ledger TEXT NOT NULL, created_at TEXT NOT NULL, UNIQUE (conversation, id)
    ) STRICT""",
    "CREATE INDEX newest_requests ON requests (conversation, number)",
    """CREATE TABLE prefixes (
        conversation INTEGER PRIMARY KEY REFERENCES conversations (key),
        messages TEXT NOT NULL
    ) STRICT""",
)

_REFLECTION = (
    """CREATE TABLE reflections (
        conversation INTEGER NOT NULL REFERENCES conversations (key),
        turn INTEGER NOT NULL, status TEXT NOT NULL, read INTEGER NOT NULL DEFAULT 0,
        attempts INTEGER NOT NULL DEFAULT 0,
        error TEXT NOT NULL DEFAULT '', extractor TEXT NOT NULL DEFAULT '',
        calls INTEGER NOT NULL DEFAULT 0, prompt_tokens INTEGER NOT NULL DEFAULT 0,
        answer_tokens INTEGER NOT NULL DEFAULT 0, created_at TEXT NOT NULL, finished_at TEXT,
        PRIMARY KEY (conversation, turn),
        CHECK (status IN ('pending', 'done', 'failed'))
    ) STRICT, WITHOUT ROWID""",
    """CREATE INDEX waiting_reflections ON reflections (conversation, turn)
        WHERE status <> 'done'""",
    """CREATE TABLE verdicts (
        conversation INTEGER NOT NULL REFERENCES conversations (key),
        id INTEGER NOT NULL, turn INTEGER NOT NULL, action TEXT NOT NULL, rule TEXT NOT NULL,
        text TEXT NOT NULL, extractor TEXT NOT NULL, memory INTEGER, other INTEGER, score REAL,
        created_at TEXT NOT NULL, settled TEXT, undo TEXT NOT NULL DEFAULT '',
        PRIMARY KEY (conversation, id)
    ) STRICT""",
    """CREATE TABLE wordings (
        conversation INTEGER NOT NULL REFERENCES conversations (key),
        memory INTEGER NOT NULL, turn_of INTEGER NOT NULL REFERENCES conversations (key),
        turn INTEGER NOT NULL, text TEXT NOT NULL,
        PRIMARY KEY (conversation, memory, turn_of, turn, text)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX verdict_turns ON verdicts (conversation, turn, id)",
)
