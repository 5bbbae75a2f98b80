"""A full disk loses nothing that was acknowledged, and its error says what to do.

Three ways to fill it: SQLite's own limit of pages, a limit of the system on the size of a file
(a real write that fails half way), and a fault at each write in turn.
"""

from __future__ import annotations

import itertools
import shutil
import sqlite3
from pathlib import Path

import pytest

from palimpsest import Memory
from palimpsest.conversation import Conversation
from palimpsest.errors import StoreError
from tests.support.forget_kills import indexed
from tests.support.full_disk import WORK, Filling, filled_up, of, prepare
from tests.support.stages import rows


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with acknowledged turns, a memory and a forget."""
    path = tmp_path_factory.mktemp("before") / "m.db"
    prepare(path)
    return path


def copied(before: Path, folder: Path) -> Path:
    """A store of its own, with its key."""
    folder.mkdir(exist_ok=True)
    for file in folder.iterdir():
        file.unlink()
    for file in before.parent.iterdir():
        shutil.copy(file, folder / file.name)
    return folder / before.name


def worked(path: Path, kind: str, disk: Filling, monkeypatch: pytest.MonkeyPatch) -> str | None:
    """Do the work on a disk that fills up; what the error says, or None where it was done."""
    with monkeypatch.context() as patched:
        patched.setattr(sqlite3, "connect", disk.connect)
        with Memory.open(path) as memory:
            disk.armed = True
            try:
                WORK[kind](of(memory))
            except StoreError as error:
                return str(error)
            finally:
                disk.armed = False
    return None


@pytest.mark.parametrize("kind", sorted(WORK))
def test_each_write_of_a_work_may_find_the_disk_full(
    before: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """An error means that nothing was written; without one the work is there, whole."""
    counting = Filling()
    assert worked(copied(before, tmp_path / "whole"), kind, counting, monkeypatch) is None
    none, done = rows(before), 0
    for at in range(1, counting.counted + 1):
        path = copied(before, tmp_path / "work")
        said = worked(path, kind, Filling(at), monkeypatch)
        held = rows(path)
        if said is None:
            done += 1
            assert {name: len(held[name]) for name in held} == {
                name: len(each) for name, each in rows(tmp_path / "whole" / "m.db").items()
            }, at
            continue
        assert "is full; nothing was written: free some space" in said, at
        assert none == held, at
        assert worked(path, kind, Filling(), monkeypatch) is None
    assert done <= 2
    assert counting.counted > 4


def test_a_forget_whose_log_cannot_be_emptied_is_done_and_says_so(
    before: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was committed: it returns, is not scrubbed yet, and is at the next commit with room."""
    path = copied(before, tmp_path / "work")
    disk = Filling()
    monkeypatch.setattr(sqlite3, "connect", disk.connect)
    with Memory.open(path) as memory, Memory.open(path) as looking:
        disk.no_log = True
        of(memory).forget(attribute="door")
        assert not memory.scrubbed
        assert () == of(looking).current("door")
        disk.no_log = False
        of(memory).append(user="There is room again.", assistant="Good.")
        assert memory.scrubbed
    stored = b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert b"QX-2222" not in stored


def boxes(talk: Conversation, told: list[str]) -> None:
    """Say one thing after the other for ever; ``told`` has what was acknowledged."""
    for number in itertools.count():
        said = f"Box {number} holds QX-5{number:04d}-canary. " + "It is heavy. " * 40
        talk.append(user=said, assistant="Noted.")
        told.append(said)


@pytest.mark.parametrize("room", range(4))
def test_the_limit_of_pages_loses_nothing(
    before: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    """SQLite itself says that it is full, at so many pages more; every turn told of is there."""
    path = copied(before, tmp_path / "work")
    with sqlite3.connect(path) as connection:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
    disk = Filling(pages=pages + 8 * room)
    told: list[str] = []
    with monkeypatch.context() as patched:
        patched.setattr(sqlite3, "connect", disk.connect)
        with Memory.open(path) as memory, pytest.raises(StoreError, match="free some space"):
            boxes(of(memory), told)
    with Memory.open(path) as memory:
        turns = [turn.user for turn in of(memory).turns()]
        assert told == turns[3:]
        assert ["pin"] == [record.attribute for record in of(memory).deletions()]
        of(memory).append(user="There is room again.", assistant="Good.")


def test_a_file_that_the_system_lets_grow_no_more_loses_nothing(tmp_path: Path) -> None:
    """Real writes that fail half way, in a process of its own: what it was told of is there."""
    path = tmp_path / "m.db"
    told, error = filled_up(path)
    assert error.startswith("StoreError: ")
    assert "free some space" in error
    with Memory.open(path) as memory:
        talk = of(memory)
        turns = repr(talk.turns())
        records = {record.attribute for record in talk.deletions()}
        for what, name, held in told:
            if what == "forgot":
                assert name in records
                assert held not in turns
            elif ("forgot", name, held) not in told and name not in records:
                assert held in turns
        assert {"said", "forgot"} == {what for what, _, _ in told}
        # At most the one that failed is there without having been told.
        assert len(records) - sum(what == "forgot" for what, _, _ in told) in (0, 1)
    indexed(path)
