"""FTS5 takes an index of more than 2,000 levels for damage, and each scrub adds some."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path

import pytest

from palimpsest import Memory
from palimpsest.store import lexical_tables
from palimpsest.store.lexical_rows import LexicalRows
from palimpsest.store.opening import open_store
from palimpsest.types import Scope

SCOPE = Scope(user="u", conversation="c")


def test_a_thousand_rewritten_memories_do_not_damage_the_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Corrections, merges and forgets scrub the index; it is built anew before it has too many."""
    monkeypatch.setattr(lexical_tables, "ERASES", False)
    words, draw = [f"w{n}" for n in range(900)], random.Random(1)
    with open_store(tmp_path / "s.db") as store:
        rows = LexicalRows(store._db, store.conversations)
        add = "INSERT INTO lexical (rowid, words) VALUES (?, ?)"
        for id in range(400):
            with store.transaction():
                store._db.write(add, (id, " ".join(draw.choices(words, k=8))))
        most = 0
        for _ in range(60):
            with store.transaction():
                for id in draw.sample(range(400), 25):
                    store._db.write("DELETE FROM lexical WHERE rowid = ?", (id,))
                    store._db.write(add, (id, " ".join(draw.choices(words, k=8))))
                    rows.scrub()
                most = max(most, lexical_tables.levels(store._db))
        assert lexical_tables.MOST_LEVELS / 2 < most < 2 * lexical_tables.MOST_LEVELS
        with store.transaction():
            store._db.write("INSERT INTO lexical (lexical) VALUES ('integrity-check')")
        assert [(400,)] == store._db.rows("SELECT count(*) FROM lexical")


def test_a_store_whose_index_has_too_many_levels_opens_and_is_mended(tmp_path: Path) -> None:
    """An index that an older version drove too far is made anew from its rows."""
    path = tmp_path / "s.db"
    with Memory.open(path) as memory:
        memory.conversation(user="u", id="c").remember("The locker is blue.")
    raw = sqlite3.connect(path)
    # The number of levels is a varint behind the four bytes of the cookie: 2,001 of them.
    raw.execute("UPDATE lexical_data SET block = x'000000008F510000' WHERE id = 10")
    raw.commit()
    with pytest.raises(sqlite3.DatabaseError):
        raw.execute("SELECT count(*) FROM lexical WHERE lexical MATCH 'locker'").fetchall()
    raw.close()
    with open_store(path) as store:
        assert [1] == list(store.lexical.search(SCOPE, "locker"))
