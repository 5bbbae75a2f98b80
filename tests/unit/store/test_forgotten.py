"""The key of the deletion records, and the hashes that it makes."""

from __future__ import annotations

import os
import sqlite3
import stat
from pathlib import Path

import pytest

from palimpsest import Memory, write
from palimpsest.errors import StoreError
from palimpsest.language.surface_forms import keys_of
from palimpsest.store import open_store
from palimpsest.store.secret import SIZE, Secret
from palimpsest.types import Scope

SCOPE = Scope(user="ana", conversation="trip")


def forgotten(path: Path, key_file: Path | None = None, value: str = "4417") -> None:
    """A store at ``path`` in which a PIN was forgotten."""
    with open_store(path, key_file=key_file) as store:
        write.remember(store, SCOPE, f"My PIN is {value}.", attribute="pin")
        write.forget(store, SCOPE, attribute="pin")


def test_the_key_is_made_at_the_first_forget_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    """No file stands beside a store that forgot nothing; then one of mode 0600 does."""
    with open_store(tmp_path / "m.db") as store:
        write.remember(store, SCOPE, "My PIN is 4417.", attribute="pin")
        assert not (tmp_path / "m.db.key").exists()
    forgotten(tmp_path / "m.db")
    key = tmp_path / "m.db.key"
    assert (SIZE, 0o600) == (len(key.read_bytes()), stat.S_IMODE(key.stat().st_mode))
    before = key.read_bytes()
    forgotten(tmp_path / "m.db", value="5521")
    assert before == key.read_bytes()


def test_a_key_file_may_stand_elsewhere(tmp_path: Path) -> None:
    """``[forget] key_file`` names it."""
    from palimpsest.config import Config, merge

    elsewhere = tmp_path / "keys" / "mine"
    elsewhere.parent.mkdir()
    config = merge(Config(), {"forget": {"key_file": str(elsewhere)}}, where="test")
    with Memory.open(tmp_path / "m.db", config=config) as memory:
        talk = memory.conversation(user="ana", id="trip")
        talk.remember("My PIN is 4417.", attribute="pin")
        talk.forget(attribute="pin")
    assert elsewhere.exists()
    assert not (tmp_path / "m.db.key").exists()


def test_a_store_in_memory_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its key lives as long as it does."""
    monkeypatch.chdir(tmp_path)
    with open_store(":memory:") as store:
        write.remember(store, SCOPE, "My PIN is 4417.", attribute="pin")
        write.forget(store, SCOPE, attribute="pin")
        assert 1 == write.deletions(store, SCOPE)[0].values
    assert [] == list(tmp_path.iterdir())


def test_a_copied_database_gives_nothing_to_guess_with(tmp_path: Path) -> None:
    """Every PIN of four digits, hashed in the ways that need no key, is in no row of the file."""
    import hashlib

    forgotten(tmp_path / "m.db")
    connection = sqlite3.connect(tmp_path / "m.db")
    hashes = {row[0] for row in connection.execute("SELECT hash FROM forgotten")}
    salt = connection.execute("SELECT value FROM meta WHERE key = 'salt'").fetchone()[0]
    connection.close()
    assert len(hashes) > 3
    guesses = {
        hashlib.sha256(f"{before}d:{pin}".encode()).hexdigest()[:32]
        for pin in ("4417",) for before in ("", "ana\x00", salt, f"{salt}ana\x00")
    }  # fmt: skip
    assert not hashes & guesses
    real = Secret(str(tmp_path / "m.db"))
    assert {real.hash(f"ana\x00{key}") for key in keys_of("4417")} == hashes


def test_two_users_hashes_of_one_value_have_nothing_in_common(tmp_path: Path) -> None:
    """Who else forgot the same cannot be told from the rows."""
    with open_store(tmp_path / "m.db") as store:
        for user in ("ana", "bob"):
            scope = Scope(user=user, conversation="c")
            write.remember(store, scope, "My PIN is 4417.", attribute="pin")
            write.forget(store, scope, attribute="pin")
    connection = sqlite3.connect(tmp_path / "m.db")
    rows = connection.execute("SELECT hash, count(*) FROM forgotten GROUP BY hash").fetchall()
    connection.close()
    assert {1} == {many for _, many in rows}


def test_a_missing_key_is_named_and_nothing_is_let_through(tmp_path: Path) -> None:
    """Without it no new text can be checked: the error says where the file was."""
    forgotten(tmp_path / "m.db")
    (tmp_path / "m.db.key").rename(tmp_path / "away")
    with Memory.open(tmp_path / "m.db") as memory:
        talk = memory.conversation(user="ana", id="trip")
        with pytest.raises(StoreError, match=r"is not at '.*m\.db\.key'; put the file back"):
            talk.append(user="Hello.", assistant="It is 4417.")
        assert () == talk.turns()
        other = memory.conversation(user="ana", id="new")
        other.append(user="Hello.", assistant="Here nothing was forgotten.")


def test_another_key_is_refused(tmp_path: Path) -> None:
    """A key that did not make the records knows none of the values again."""
    forgotten(tmp_path / "m.db")
    (tmp_path / "m.db.key").unlink()
    forgotten(tmp_path / "other.db")
    os.rename(tmp_path / "other.db.key", tmp_path / "m.db.key")
    with (
        Memory.open(tmp_path / "m.db") as memory,
        pytest.raises(StoreError, match="is not the key that the deletion records were made with"),
    ):
        memory.conversation(user="ana", id="trip").append(user="Hello.", assistant="Yes.")


@pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")
def test_a_key_that_others_can_read_is_refused(tmp_path: Path) -> None:
    """The error says which command repairs it."""
    forgotten(tmp_path / "m.db")
    (tmp_path / "m.db.key").chmod(0o644)
    with pytest.raises(StoreError, match=r"mode 0644\); run 'chmod 600 "):
        Secret(str(tmp_path / "m.db")).hash("x")
