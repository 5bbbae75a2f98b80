"""A store of before statements were known again opens, and keeps what it knows."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from palimpsest import Memory


def test_a_store_of_before_keeps_its_values_and_learns_statements(tmp_path: Path) -> None:
    """Its parts are values; a forget after the step leaves a statement beside them."""
    path = tmp_path / "m.db"
    with Memory.open(path) as memory:
        talk = memory.conversation(user="u", id="c")
        talk.forget(id=talk.remember("My code is TKT-4417.").id)
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("ALTER TABLE forgotten_values DROP COLUMN language")
        connection.execute("ALTER TABLE forgotten_values DROP COLUMN mine")
        connection.execute("DELETE FROM migrations WHERE id = 'm015_statements'")
        connection.execute("PRAGMA user_version = 14")
    connection.close()
    with Memory.open(path) as memory:
        talk = memory.conversation(user="u", id="c")
        talk.forget(id=talk.remember("I am diabetic.").id)
        talk.append(user="And?", assistant="It is TKT 4417. As you are diabetic, no. Oslo is cold.")
        assert [1, 1] == [one.values for one in talk.deletions()]
        told = talk.turns()[-1].messages[-1].content or ""
    assert ("4417" in told, "diabetic" in told, "Oslo is cold." in told) == (False, False, True)
    connection = sqlite3.connect(path)
    parts = connection.execute("SELECT language, mine FROM forgotten_values ORDER BY deletion")
    assert [(None, 0), ("en", 1)] == parts.fetchall()
    connection.close()
