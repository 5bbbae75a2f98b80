"""Restore and import, each as one piece of work that may be killed, on a prepared folder.

The folder has the store ``m.db``, its backup ``b.db`` of before a forget, and ``e.jsonl``, an
export of another store with the key of its records beside ``i.db``, which takes it over.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from palimpsest import Memory
from palimpsest.restoring import restored

GONE = "QX-1111-canary"
"""The value that was forgotten after the backup was made."""


def prepare(folder: Path) -> None:
    """Everything that a move needs."""
    store = folder / "m.db"
    with Memory.open(store) as memory:
        talk = memory.conversation(user="ana", id="trip")
        for name, code in (("pin", GONE), ("door", "QX-2222-canary")):
            (turn,) = talk.observe(user=f"My {name} is {code}.", assistant=f"{code}, noted.")
            talk.remember(f"My {name} is {code}.", attribute=name, value=code, turn=turn.number)
        memory.backup(folder / "b.db")
        talk.forget(attribute="pin")
        talk.correct("My door is QX-3333-canary.", attribute="door", value="QX-3333-canary")
        memory.export(folder / "e.jsonl")
    shutil.copy(f"{store}.key", folder / "i.db.key")
    with Memory.open(folder / "i.db") as memory:
        memory.conversation(user="bo", id="other").observe(user="I drink tea.", assistant="Ok.")


def _restore(folder: Path) -> None:
    restored(folder / "m.db", folder / "b.db", key_file=None, progress=lambda at, of: None)


def _lost(folder: Path) -> None:
    restored(folder / "new.db", folder / "b.db", key_file=str(folder / "m.db.key"),
             progress=lambda at, of: None)  # fmt: skip


def _import(folder: Path) -> None:
    with Memory.open(folder / "i.db") as memory:
        memory.import_file(folder / "e.jsonl")


def _backup(folder: Path) -> None:
    if not (folder / "n.db").exists():
        with Memory.open(folder / "m.db") as memory:
            memory.backup(folder / "n.db")


MOVES: Mapping[str, Callable[[Path], None]] = {
    "restore": _restore, "restore-lost": _lost, "import": _import, "backup": _backup,
}  # fmt: skip
STORES: Mapping[str, str] = {"restore": "m.db", "restore-lost": "new.db", "import": "i.db",
                            "backup": "n.db"}  # fmt: skip


def copied(prepared: Path, folder: Path) -> Path:
    """A folder of its own to move in."""
    shutil.rmtree(folder, ignore_errors=True)
    return Path(shutil.copytree(prepared, folder))


def says(folder: Path, name: str) -> bool:
    """True where a file of a store holds the value that was forgotten."""
    return any(GONE.encode() in file.read_bytes() for file in folder.glob(f"{name}*"))


def seen(path: Path) -> object:
    """What a user finds in a store; None where there is none."""
    if not path.exists():
        return None
    with Memory.open(path) as memory:
        found = []
        for user in memory.users():
            for name in memory.conversations(user):
                talk = memory.conversation(user=user, id=name)
                said = [text for t in talk.turns() for m in t.messages for text in m.texts()]
                rows = [(row.id, row.text, row.superseded_by) for row in talk.visible()]
                records = [
                    (record.id, record.attribute, record.rows) for record in talk.deletions()
                ]
                waiting = [(each.turn, each.status) for each in talk.reflections()]
                found.append((user, name, said, rows, records, waiting))
        return found
