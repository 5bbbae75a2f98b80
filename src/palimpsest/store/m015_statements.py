"""The step that lets a statement without a value be known again: its language, and of whom.

A part of a deletion with a language is a statement; ``words`` says how many keys it has, and
``forgotten`` holds a hash of each. Invariant: parts that were kept before are values.
"""

from __future__ import annotations

from palimpsest.store.database import Database


def m015_statements(db: Database) -> None:
    """Parts of deletions that are statements without a value."""
    db.write("ALTER TABLE forgotten_values ADD COLUMN language TEXT")
    db.write("ALTER TABLE forgotten_values ADD COLUMN mine INTEGER NOT NULL DEFAULT 0")
