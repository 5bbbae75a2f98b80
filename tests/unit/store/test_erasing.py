"""A forgotten text is in no byte of any file of the store."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path

import pytest

from palimpsest import write
from palimpsest.store import Store, open_store
from palimpsest.store.database import Database
from palimpsest.types import Message, Scope, Turn

SCOPE = Scope(user="ana", conversation="trip")
CANARY = "QX77canary"
STATEMENT = f"{CANARY} is the key."


def held(directory: Path) -> int:
    """How often the canary stands in the files of a directory."""
    return sum(file.read_bytes().count(CANARY.encode()) for file in directory.iterdir())


def filled(path: Path, seed: int) -> Store:
    """A store whose canary stands in turns of many sizes and in replaced memories."""
    draw = random.Random(seed)
    store = open_store(path)
    for number in range(1, draw.choice((5, 60)) + 1):
        body = " ".join(draw.choice(("alpha", "beta")) for _ in range(draw.choice((3, 60, 900))))
        said = f"{body} {STATEMENT} {body}" if draw.random() < 0.2 else body
        answer = Message(role="assistant", content=f"Noted: {said[:200]}")
        turn = Turn(number=number, messages=(Message(role="user", content=said), answer))
        write.append(store, SCOPE, [turn])
        if draw.random() < 0.5:
            write.remember(store, SCOPE, f"fact {body[:300]}", attribute=f"a{number % 3}")
    write.remember(store, SCOPE, STATEMENT, attribute="key")
    write.consolidate(store, SCOPE)
    write.correct(store, SCOPE, "The key is another.", attribute="key")
    return store


@pytest.mark.parametrize("seed", range(6))
def test_no_file_holds_what_was_forgotten(tmp_path: Path, seed: int) -> None:
    """Database and log are clean right after the forget and after the store is closed."""
    with filled(tmp_path / "m.db", seed) as store:
        assert held(tmp_path) > 0, "the scan must see what is there"
        write.forget(store, SCOPE, attribute="key")
        assert (0, False) == (held(tmp_path), store.erasing)
    assert 0 == held(tmp_path)


@pytest.mark.parametrize("repaired", [True, False])
def test_a_copy_that_secure_delete_never_saw_is_written_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, repaired: bool
) -> None:
    """A page may hold an old copy of a row outside its rows: then the file is written anew."""
    path = tmp_path / "m.db"
    with filled(path, 2):
        pass
    raw = sqlite3.connect(path, isolation_level=None)
    raw.execute("PRAGMA secure_delete = OFF")
    raw.execute("INSERT INTO meta VALUES (?, ?)", (f"old {STATEMENT}", STATEMENT))
    raw.execute("DELETE FROM meta WHERE value = ?", (STATEMENT,))
    raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    raw.close()
    if not repaired:
        monkeypatch.setattr(Database, "_write_anew", lambda self: None)
    with open_store(path) as store:
        write.forget(store, SCOPE, attribute="key")
        assert repaired == (held(tmp_path) == 0)
        assert not store.erasing


def test_a_reader_delays_the_erasing_and_it_is_not_hidden(tmp_path: Path) -> None:
    """While somebody reads an older state the store says so; the next commit tries again."""
    with filled(tmp_path / "m.db", 0) as store:
        reader = sqlite3.connect(tmp_path / "m.db", isolation_level=None)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM turns").fetchone()
        write.forget(store, SCOPE, attribute="key")
        assert store.erasing
        reader.execute("COMMIT")
        reader.close()
        write.remember(store, SCOPE, "Something else.")
        assert (0, False) == (held(tmp_path), store.erasing)


def test_a_forget_inside_a_transaction_erases_after_it(tmp_path: Path) -> None:
    """The log is emptied once the outermost transaction is committed."""
    with filled(tmp_path / "m.db", 1) as store:
        with store.transaction():
            write.forget(store, SCOPE, attribute="key")
            assert store.erasing
        assert (0, False) == (held(tmp_path), store.erasing)
