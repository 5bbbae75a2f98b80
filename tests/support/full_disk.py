"""A disk that is full from a chosen write on, and the work that meets it.

``Filling`` stands in for ``sqlite3.connect``: once armed, the writes before ``at`` succeed and
all later ones fail as SQLite fails them, ``COMMIT`` and the emptying of the log among them.
Reading and taking back need no room and go on.
"""

from __future__ import annotations

import re
import resource
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from palimpsest import Memory
from palimpsest.conversation import Conversation
from palimpsest.errors import StoreError
from tests.support.proposing import Proposing

ROOT = Path(__file__).resolve().parents[2]
_LIMIT = 560_000
"""Bytes that a file of the process may have; an empty store takes about half of it."""
_WRITES = re.compile(
    r"\s*(?:INSERT|UPDATE|DELETE|REPLACE|CREATE|DROP|ALTER|VACUUM|COMMIT|PRAGMA wal_checkpoint)",
    re.IGNORECASE,
)


def full() -> sqlite3.OperationalError:
    """The error of SQLite for a disk without room."""
    error = sqlite3.OperationalError("database or disk is full")
    error.sqlite_errorcode = sqlite3.SQLITE_FULL
    error.sqlite_errorname = "SQLITE_FULL"
    return error


class Filling:
    """Counts the writes while it is armed; from number ``at`` on the disk is full."""

    def __init__(self, at: int = 0, *, pages: int = 0) -> None:
        self.at = at
        self.pages = pages
        """The limit that SQLite itself keeps, where one is given."""
        self.no_log = False
        """True while the log alone cannot be emptied."""
        self.armed = False
        self.counted = 0
        self._connect = sqlite3.connect

    def connect(self, *args: Any, **kw: Any) -> sqlite3.Connection:
        """What ``sqlite3.connect`` returns, with the disk in between."""
        disk = self

        class Connection(sqlite3.Connection):
            def execute(self, sql: str, *params: Any) -> sqlite3.Cursor:
                disk.write(sql, self)
                return super().execute(sql, *params)

            def executemany(self, sql: str, *params: Any) -> sqlite3.Cursor:
                disk.write(sql, self)
                return super().executemany(sql, *params)

        made: sqlite3.Connection = self._connect(*args, factory=Connection, **kw)
        if self.pages:
            made.execute(f"PRAGMA max_page_count={self.pages}")
        return made

    def write(self, sql: str, connection: sqlite3.Connection) -> None:
        """Raises once the disk is full."""
        if self.no_log and "wal_checkpoint" in sql:
            raise full()
        if not self.armed or not _WRITES.match(sql):
            return
        self.counted += 1
        if self.at and self.counted >= self.at:
            raise full()


def prepare(path: Path) -> None:
    """What was acknowledged before the disk filled up."""
    with Memory.open(path) as memory:
        talk = of(memory)
        for name, code in (("pin", "QX-1111-canary"), ("door", "QX-2222-canary")):
            (turn,) = talk.append(user=f"My {name} is {code}.", assistant=f"{code}, noted.")
            talk.remember(f"My {name} is {code}.", attribute=name, value=code, turn=turn.number)
        talk.forget(attribute="pin")
        talk.observe(user="My next stay is in Oslo.", assistant="Noted.")


def of(memory: Memory) -> Conversation:
    """The conversation that the work is on."""
    return memory.conversation(user="ana", id="trip")


def _observe(talk: Conversation) -> None:
    talk.observe(user="I drink green tea.", assistant="Nice.")


def _correct(talk: Conversation) -> None:
    talk.correct("My door is now QX-3333-canary.", attribute="door", value="QX-3333-canary")


def _forget(talk: Conversation) -> None:
    talk.forget(attribute="door")


def _reflect(talk: Conversation) -> None:
    talk.reflect(extractor=Proposing(), retry=True)


WORK: Mapping[str, Callable[[Conversation], None]] = {
    "observe": _observe, "correct": _correct, "forget": _forget, "reflect": _reflect,
}  # fmt: skip


def filled_up(path: Path) -> tuple[list[tuple[str, str, str]], str]:
    """Work in a process whose files may not grow; what it was told of, and its last line."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.full_disk", str(path)],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    lines = [line.split(" ") for line in done.stdout.splitlines()]
    assert done.stderr, "the disk did not fill up"
    return [(what, name, held) for what, name, held in lines], done.stderr.strip()


def _fill(path: str) -> None:
    with Memory.open(path) as memory:
        talk = of(memory)
        resource.setrlimit(resource.RLIMIT_FSIZE, (_LIMIT, _LIMIT))
        for number in range(10_000):
            name, held = f"box-{number}", f"QX-5{number:04d}-canary"
            talk.append(user=f"Box {number} holds {held}. " + "It is heavy. " * 150, assistant="Ok")
            talk.remember(f"Box {number} holds {held}.", attribute=name, value=held)
            sys.stdout.write(f"said {name} {held}\n")
            if number % 4 == 0:
                talk.forget(attribute=name)
                sys.stdout.write(f"forgot {name} {held}\n")


if __name__ == "__main__":
    try:
        _fill(sys.argv[1])
    except StoreError as met:
        sys.stderr.write(f"{type(met).__name__}: {met}\n")
