"""A database that this process has open stays in use for every other process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from palimpsest import Memory
from palimpsest.audit import held_files
from palimpsest.conversation import Conversation
from palimpsest.errors import InputError
from palimpsest.protocols import Tokenizer

Act = Callable[[Memory, Conversation], object]


def _forgets(memory: Memory, talk: Conversation) -> None:
    row = talk.remember("My code is Zebra-77123.", attribute="code")
    talk.forget(id=row.id)


def _opens(memory: Memory, talk: Conversation) -> None:
    with Memory.open(memory.path):
        pass


def _backs_up_and_audits(memory: Memory, talk: Conversation) -> None:
    memory.backup(Path(memory.path).with_name("b.db"))
    memory.audit("Kestrel-4411-Quay")


def _imports_itself(memory: Memory, talk: Conversation) -> None:
    with pytest.raises(InputError):
        memory.import_file(Path(memory.path))


ACTS: dict[str, Act] = {
    "an audit": lambda memory, talk: memory.audit("Kestrel-4411-Quay"),
    "two audits": lambda memory, talk: (memory.audit("Zebra-77123"), memory.audit("Zebra-77123")),
    "a forget": _forgets,
    "a second opening": _opens,
    "a backup": lambda memory, talk: memory.backup(Path(memory.path).with_name("b.db")),
    "an audit after a backup": _backs_up_and_audits,
    "an export": lambda memory, talk: memory.export(Path(memory.path).with_name("e.jsonl")),
    "an import of itself": _imports_itself,
    "a check of the indexes": lambda memory, talk: memory.verify_indexes(),
    "a rebuild of the indexes": lambda memory, talk: memory.rebuild_indexes(),
    "a half reading": lambda memory, talk: held_files.reading(Path(memory.path)).__enter__(),
}


def _another_process(path: Path) -> int:
    """What another program sees, which opens the store and closes it again."""
    code = (
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); "
        "print(c.execute('SELECT count(*) FROM memories').fetchone()[0]); c.close()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
    )
    return int(done.stdout)


@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS)
def test_what_is_written_after_reading_the_file_is_kept(
    act: Act, tmp_path: Path, gemma: Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No reading of the file takes SQLite's locks away, so nobody deletes the log under us."""
    monkeypatch.setenv("PALIMPSEST_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "m.db"
    with Memory.open(path, tokenizer=gemma) as memory:
        talk = memory.conversation(user="u", id="c")
        talk.remember("We fly to Porto.")
        act(memory, talk)
        _another_process(path)
        talk.remember("We stay for a week.")

        assert 2 == _another_process(path)
        assert path.with_name("m.db-wal").exists()


def test_descriptors_do_not_pile_up(tmp_path: Path, gemma: Tokenizer) -> None:
    """A server that audits all day reads through the same ones; the last close gives them back."""
    folder = Path("/proc/self/fd")
    if not folder.exists():
        pytest.skip("this system does not list descriptors")
    before = len(os.listdir(folder))
    with Memory.open(tmp_path / "m.db", tokenizer=gemma) as memory:
        memory.conversation(user="u", id="c").remember("We fly to Porto.")
        counts = set()
        for _ in range(3):
            for end in ("", "-wal", "-shm"):
                with held_files.reading(Path(f"{memory.path}{end}")) as file:
                    file.read(1)
            counts.add(len(os.listdir(folder)))

    assert 1 == len(counts)
    assert before == len(os.listdir(folder))


def test_a_kept_descriptor_reads_what_is_there_now(tmp_path: Path, gemma: Tokenizer) -> None:
    """It begins at the first byte again and sees what was written since."""
    with Memory.open(tmp_path / "m.db", tokenizer=gemma) as memory:
        talk = memory.conversation(user="u", id="c")
        wal = Path(f"{memory.path}-wal")
        seen = []
        for text in ("Mark-One", "Mark-Two"):
            talk.remember(f"Its name is {text}.")
            with held_files.reading(wal) as file:
                seen.append(text.encode() in file.read())

    assert [True, True] == seen
