"""Going back to a backup brings nothing back that was forgotten since."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from palimpsest import Memory
from palimpsest.errors import InputError, NotADatabase
from palimpsest.restoring import Restored, restored

VALUE = "P1234567-KX"


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PALIMPSEST_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A store with a passport, a city that was corrected and a habit, and its backup ``b.db``."""
    with Memory.open(tmp_path / "m.db") as memory:
        talk = memory.conversation(user="ada", id="trip")
        talk.append(user=f"My passport is {VALUE}.", assistant=f"Noted: {VALUE}.")
        talk.remember(f"My passport is {VALUE}.", attribute="passport", value=VALUE, turn=1)
        talk.remember("I live in Oslo.", attribute="city", value="Oslo")
        talk.remember("Never call me before noon.")
        memory.backup(tmp_path / "b.db")
    return tmp_path


def _restore(place: Path) -> Restored:
    return restored(place / "m.db", place / "b.db", key_file=None, progress=lambda at, of: None)


def _texts(place: Path) -> list[str]:
    with Memory.open(place / "m.db") as memory:
        return [row.text for row in memory.conversation(user="ada", id="trip").current()]


def test_what_was_forgotten_since_stays_forgotten(place: Path) -> None:
    """The value is in no row, no turn and no byte of the restored store."""
    with Memory.open(place / "m.db") as memory:
        memory.conversation(user="ada", id="trip").forget(attribute="passport")
    done = _restore(place)
    (place / "b.db").unlink()
    with Memory.open(place / "m.db") as memory:
        talk = memory.conversation(user="ada", id="trip")
        found = memory.audit(VALUE)
        turn = talk.turns()[0]
        deletions = talk.deletions()

    assert 1 == done.forgotten
    assert found.clean
    assert VALUE not in str(turn)
    assert ["passport"] == sorted({one.attribute for one in deletions if one.attribute})
    assert ["I live in Oslo.", "Never call me before noon."] == _texts(place)


def test_a_statement_without_a_value_stays_forgotten(place: Path) -> None:
    """No hash knows it, but its id was given and is gone."""
    with Memory.open(place / "m.db") as memory:
        talk = memory.conversation(user="ada", id="trip")
        talk.forget(id=next(row.id for row in talk.current() if "noon" in row.text))
    _restore(place)

    assert [f"My passport is {VALUE}.", "I live in Oslo."] == _texts(place)


def test_everything_else_is_as_it_was(place: Path) -> None:
    """A correction after the backup is undone by going back; that is what a restore is for."""
    with Memory.open(place / "m.db") as memory:
        talk = memory.conversation(user="ada", id="trip")
        talk.correct("I live in Bergen.", attribute="city", value="Bergen")
    done = _restore(place)

    assert 0 == done.forgotten
    assert "I live in Oslo." in _texts(place)


def test_old_text_is_still_known_after_a_restore(place: Path) -> None:
    """The later record of the deletion came along: a reading of old words is refused."""
    with Memory.open(place / "m.db") as memory:
        memory.conversation(user="ada", id="trip").forget(attribute="passport")
    _restore(place)
    with Memory.open(place / "m.db") as memory:
        talk = memory.conversation(user="ada", id="trip")
        talk.append(user="What was it?", assistant=f"It was {VALUE}.")
        said = str(talk.turns()[-1])

    assert VALUE not in said


def test_an_id_is_never_given_twice(place: Path) -> None:
    """Ids that were given after the backup stay given."""
    with Memory.open(place / "m.db") as memory:
        newest = memory.conversation(user="ada", id="trip").remember("I like figs.").id
    _restore(place)
    with Memory.open(place / "m.db") as memory:
        again = memory.conversation(user="ada", id="trip").remember("I like plums.").id

    assert newest < again


def test_a_store_that_is_gone_comes_back(place: Path) -> None:
    """The usual reason for a restore: the file is lost."""
    expected = _texts(place)
    for path in place.glob("m.db*"):
        path.unlink()
    done = _restore(place)

    assert (1, 0) == (done.conversations, done.forgotten)
    assert expected == _texts(place)


def test_files_of_later_days_are_still_audited(place: Path) -> None:
    """An export made after the backup is on record after the restore."""
    with Memory.open(place / "m.db") as memory:
        memory.export(place / "e.jsonl")
    _restore(place)
    with Memory.open(place / "m.db") as memory:
        found = {Path(finding.path).name for finding in memory.audit(VALUE).findings}

    assert "e.jsonl" in found


@pytest.mark.parametrize("text", [b"", b"precious", b"SQLite format 3\0" + b"\0" * 200])
def test_what_is_no_backup_changes_nothing(text: bytes, place: Path) -> None:
    """The store is as it was, and no draft is left."""
    expected = _texts(place)
    (place / "b.db").write_bytes(text)
    with pytest.raises(NotADatabase):
        _restore(place)
    assert expected == _texts(place)
    assert [] == [path for path in place.iterdir() if "restoring" in path.name]


def test_a_missing_backup_is_named(place: Path) -> None:
    """A typo is told, and nothing happens."""
    with pytest.raises(InputError, match=r"x\.db: there is no such file"):
        restored(place / "m.db", place / "x.db", key_file=None, progress=lambda at, of: None)


def test_the_draft_of_a_killed_restore_is_found_by_audits_and_cleared(place: Path) -> None:
    """It is named while it is there; the next restore removes it, but not that of a live process."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    left = place / f".m.db.{ended.pid}.restoring"
    running = place / f".m.db.{os.getppid()}.restoring"
    with Memory.open(place / "m.db") as memory:
        memory.conversation(user="ada", id="trip").forget(attribute="passport")
        (place / "b.db").rename(place / "c.db")
        left.write_bytes((place / "c.db").read_bytes())
        running.write_bytes(b"")
        assert {str(left)} == {finding.path for finding in memory.audit(VALUE).findings}
    (place / "c.db").rename(place / "b.db")
    _restore(place)
    assert [running.name] == [file.name for file in place.iterdir() if "restoring" in file.name]


def test_restoring_again_changes_nothing(place: Path) -> None:
    """What is forgotten again has its record: that of the forget, once, however often."""
    with Memory.open(place / "m.db") as memory:
        memory.conversation(user="ada", id="trip").forget(attribute="passport")
        before = memory.conversation(user="ada", id="trip").deletions()
    for _ in range(3):
        assert 1 == _restore(place).forgotten
        with Memory.open(place / "m.db") as memory:
            talk = memory.conversation(user="ada", id="trip")
            assert before == talk.deletions()
            talk.append(user="Well?", assistant=f"Your passport is {VALUE}.")
            assert VALUE not in str(talk.turns())


def test_what_waits_is_withheld_after_a_restore(place: Path) -> None:
    """A request to forget that waited when the backup was made waits in it, and withholds."""
    with Memory.open(place / "m.db") as memory:
        talk = memory.conversation(user="ada", id="trip")
        talk.remember("My locker code is 7781.")
        talk.remember("My gym code is 9102.")
        talk.observe(user="Please forget the code.", assistant="Which?")
        talk.reflect(extractor="rules")
        assert 2 == len(talk.review()[0].candidates)
        memory.backup(place / "c.db")
        talk.forget(attribute="passport")
    restored(place / "m.db", place / "c.db", key_file=None, progress=lambda at, of: None)
    with Memory.open(place / "m.db") as memory:
        talk = memory.conversation(user="ada", id="trip")
        assert 2 == len(talk.review()[0].candidates)
        sent = talk._store.view(talk.scope)
        assert set(talk.review()[0].candidates) == set(sent.withheld())
