"""Opening checks first and writes after: nothing is lost and nothing is half done."""

from __future__ import annotations

import sqlite3
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from palimpsest.errors import InputError, NewerSchema, NotADatabase, ReadOnly, StoreError
from palimpsest.store import migrations, open_store
from palimpsest.store.database import Database
from palimpsest.types import Message, Scope, Turn

SCOPE = Scope(user="ana", conversation="trip")


def filled(path: Path) -> Path:
    """A closed store with one turn."""
    with open_store(path) as store:
        store.turns.add(SCOPE, [Turn(number=1, messages=(Message(role="user", content="hi"),))])
    return path


_OPENED = """
import os, sys
from palimpsest.store import open_store
if os.getuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
try:
    open_store(sys.argv[1])
except Exception as error:
    print(type(error).__name__)
"""


def opened_by_nobody(path: Path) -> str:
    """Open a store as a user without rights, in a process of its own; the name of its error."""
    return subprocess.run(
        [sys.executable, "-c", _OPENED, str(path)], capture_output=True, text=True, check=True
    ).stdout.strip()


@pytest.fixture
def shared() -> Iterator[Path]:
    """A directory that every user can enter, unlike ``tmp_path``."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name)
        path.chmod(0o755)
        yield path
        path.chmod(0o755)


def test_a_store_is_made_and_found_again(tmp_path: Path) -> None:
    """What was written is there after the file is opened again."""
    path = filled(tmp_path / "m.db")
    with open_store(path) as store:
        assert ("managed", 1) == (store.policy, store.turns.last(SCOPE))
        assert ["trip"] == list(store.conversations.of("ana"))


def test_every_connection_erases_and_logs_ahead(tmp_path: Path) -> None:
    """secure_delete, foreign keys and WAL are on, whatever the build of SQLite defaults to."""
    with open_store(tmp_path / "m.db"):
        db = Database(str(tmp_path / "m.db"))
        pragmas = ("secure_delete", "foreign_keys", "journal_mode", "busy_timeout")
        found = [db.rows(f"PRAGMA {name}")[0][0] for name in pragmas]
        db.close()
    assert [1, 1, "wal", 30_000] == found


def test_a_policy_belongs_to_the_store(tmp_path: Path) -> None:
    """A store is opened with the policy that it was made with, or with none."""
    open_store(tmp_path / "m.db", policy="append-only").close()
    with pytest.raises(InputError, match="made as 'append-only' and is opened as 'managed'"):
        open_store(tmp_path / "m.db", policy="managed")
    with open_store(tmp_path / "m.db") as store:
        assert store.policy == "append-only"


def test_a_wrong_policy_makes_no_file(tmp_path: Path) -> None:
    """An unknown policy is refused before anything is made."""
    with pytest.raises(InputError, match="'strict' is not one of append-only, managed"):
        open_store(tmp_path / "m.db", policy="strict")  # type: ignore[arg-type]
    assert [] == list(tmp_path.iterdir())


def test_a_text_file_is_refused_and_kept(tmp_path: Path) -> None:
    """A file that is no database is not touched."""
    path = tmp_path / "notes.txt"
    for content in (b"dear diary", b"x" * 5000):
        path.write_bytes(content)
        with pytest.raises(NotADatabase, match="not an SQLite database"):
            open_store(path)
        assert content == path.read_bytes()
    assert [path] == list(tmp_path.iterdir())


def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    """A file without a byte, such as a temporary file, loses nothing by becoming a store."""
    path = tmp_path / "m.db"
    path.touch()
    with open_store(path) as store:
        assert store.policy == "managed"


@pytest.mark.parametrize("journal", ["delete", "wal"])
def test_another_applications_database_is_refused_and_kept(tmp_path: Path, journal: str) -> None:
    """A database that is not ours is not migrated."""
    path = tmp_path / "other.db"
    other = sqlite3.connect(path)
    other.execute(f"PRAGMA journal_mode={journal}")
    other.execute("CREATE TABLE bookmarks (url TEXT)")
    other.commit()
    other.close()
    before = path.read_bytes()
    with pytest.raises(NotADatabase, match="another application"):
        open_store(path)
    assert before == path.read_bytes()


@pytest.mark.parametrize("kept", [0.3, 0.7])
def test_a_truncated_store_is_refused_and_kept(tmp_path: Path, kept: float) -> None:
    """A store that lost its end is refused as damaged, and left for a repair."""
    path = filled(tmp_path / "m.db")
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * kept)])
    before = path.read_bytes()
    with pytest.raises(NotADatabase, match="damaged"):
        open_store(path)
    assert before == path.read_bytes()


def test_a_store_overwritten_in_its_middle_is_a_typed_error(tmp_path: Path) -> None:
    """Damage that is found while reading is the same error as damage found at opening."""
    path = filled(tmp_path / "m.db")
    content = bytearray(path.read_bytes())
    content[4096:] = b"\x55" * (len(content) - 4096)
    path.write_bytes(bytes(content))

    def use() -> None:
        with open_store(path) as store:
            list(store.turns.newest(SCOPE))

    with pytest.raises(NotADatabase, match="damaged"):
        use()


def test_a_newer_schema_is_refused_and_kept(tmp_path: Path) -> None:
    """A file of a newer version is named with both versions and left as it is."""
    path = filled(tmp_path / "m.db")
    later = sqlite3.connect(path)
    later.execute("INSERT INTO migrations VALUES ('m999_later', '2030-01-01')")
    later.commit()
    later.close()
    before = path.read_bytes()
    with pytest.raises(NewerSchema, match=rf"'m999_later'.*'{_names()[-1]}'.*pip install -U"):
        open_store(path)
    assert before == path.read_bytes()


def test_a_directory_is_no_store(tmp_path: Path) -> None:
    """A directory in place of a file is refused by name."""
    with pytest.raises(StoreError, match="is a directory"):
        open_store(tmp_path)


def test_a_missing_directory_is_not_made(tmp_path: Path) -> None:
    """A path with a directory that does not exist is refused, and nothing is made."""
    with pytest.raises(StoreError, match="does not exist; create it"):
        open_store(tmp_path / "no" / "m.db")
    assert [] == list(tmp_path.iterdir())


def test_a_place_where_no_file_can_be_made_is_a_typed_error() -> None:
    """Where the system makes no file, the error names the path."""
    with pytest.raises(StoreError, match="/proc/m.db"):
        open_store("/proc/m.db")


def test_a_read_only_directory_is_refused(shared: Path) -> None:
    """A new store in a directory that cannot be written is refused as read-only."""
    shared.chmod(0o555)
    assert "ReadOnly" == opened_by_nobody(shared / "m.db")
    assert [] == list(shared.iterdir())


def test_a_read_only_file_is_refused_and_kept(shared: Path) -> None:
    """A store that cannot be written is refused at opening, not at the first write."""
    path = filled(shared / "m.db")
    path.chmod(stat.S_IRUSR | stat.S_IRGRP | stat.S_IROTH)
    before = path.read_bytes()
    assert "ReadOnly" == opened_by_nobody(path)
    assert before == path.read_bytes()
    assert issubclass(ReadOnly, StoreError)


def test_a_locked_store_is_a_typed_error(tmp_path: Path) -> None:
    """A writer that waits too long says so, and wrote nothing."""
    path = filled(tmp_path / "m.db")
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with open_store(path, busy_seconds=0.05) as store:
        with pytest.raises(StoreError, match="locked by another writer for 0.05 seconds"):
            store.turns.add(SCOPE, [Turn(number=2, messages=(Message(role="user", content="x"),))])
        holder.execute("ROLLBACK")
        holder.close()
        assert store.turns.last(SCOPE) == 1


def test_a_closed_store_says_so(tmp_path: Path) -> None:
    """A call on a closed store is a typed error; closing twice is not."""
    store = open_store(tmp_path / "m.db")
    store.close()
    store.close()
    with pytest.raises(StoreError, match="was closed"):
        store.turns.last(SCOPE)


def test_many_openers_make_one_store(tmp_path: Path) -> None:
    """Threads that open a new file at the same time all get the same store."""
    salts: list[str] = []

    def opened() -> None:
        with open_store(tmp_path / "m.db") as store:
            salts.append(store.salt)

    threads = [threading.Thread(target=opened) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert 6 == len(salts)
    assert 1 == len(set(salts))


def test_a_migration_is_whole_or_absent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A step that fails leaves the store as it was, and its record is not written."""
    path = filled(tmp_path / "m.db")

    def m998_broken(db: Database) -> None:
        db.write("CREATE TABLE later (x TEXT) STRICT")
        db.write("INSERT INTO nowhere VALUES (1)")

    before = path.read_bytes()
    with monkeypatch.context() as patched:
        patched.setattr(migrations, "STEPS", (*migrations.STEPS, m998_broken))
        with pytest.raises(StoreError, match="nowhere"):
            open_store(path)
    db = Database(str(path))
    assert _names() == migrations.applied(db)
    assert db.row("SELECT 1 FROM sqlite_master WHERE name = 'later'") is None
    assert () == migrations.pending(db)
    db.close()
    assert before == path.read_bytes()


def test_an_older_store_is_migrated_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A new step runs at the next opening, with its record, and never again."""
    path = filled(tmp_path / "m.db")

    def m998_more(db: Database) -> None:
        db.write("CREATE TABLE more (x TEXT) STRICT")

    monkeypatch.setattr(migrations, "STEPS", (*migrations.STEPS, m998_more))
    for _ in range(2):
        with open_store(path, clock=lambda: "2026-01-01T00:00:00+00:00") as store:
            assert store.turns.last(SCOPE) == 1
    db = Database(str(path))
    made = _names()
    assert made == migrations.applied(db)
    db.close()


def test_every_table_is_strict(tmp_path: Path) -> None:
    """SQLite itself refuses a value of the wrong type in every table."""
    filled(tmp_path / "m.db")
    db = Database(str(tmp_path / "m.db"))
    loose = db.rows("SELECT name FROM pragma_table_list WHERE type = 'table' AND NOT strict")
    db.close()
    assert [] == [name for (name,) in loose if not name.startswith("sqlite_")]


def _names() -> tuple[str, ...]:
    return tuple(step.__name__ for step in migrations.STEPS)
