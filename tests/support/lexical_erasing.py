"""Plays a history with made-up words, forgets them, and counts what the files still hold.

python -m tests.support.lexical_erasing FOLDER SEED,SEED [--newer] [--careless]

``--newer`` takes the SQLite of a package in place of Python's own; ``--careless`` turns off
what erases, to show that the count sees. Prints for each seed the version, the count before,
the counts after the forget and after the close, and how many searches still find something.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

WORDS = ("qxcanaryone", "qxcanarytwo", "qxcanarythree")


def _take_newer() -> None:
    import pysqlite3.dbapi2

    sys.modules["sqlite3"] = pysqlite3.dbapi2


def _force_off(careless: bool) -> None:
    """Every connection begins with secure_delete off, as on a build that does not erase."""
    import sqlite3

    connect = sqlite3.connect

    class Off(sqlite3.Connection):
        def execute(self, sql: str, *rest: Any) -> Any:
            if careless and any(
                word in sql for word in ("secure_delete=ON", "optimize", "-delete", "VACUUM")
            ):
                sql, rest = "SELECT 1", ()
            return super().execute(sql, *rest)

    def opened(*args: Any, **named: Any) -> Any:
        made = connect(*args, factory=Off, **named)
        made.execute("PRAGMA secure_delete=OFF")
        assert [(0,)] == made.execute("PRAGMA secure_delete").fetchall()
        return made

    sqlite3.connect = opened  # type: ignore[assignment]


def held(folder: Path) -> int:
    """How often any of the words, or the middle of one, stands in the files of a folder.

    An index keeps only what a word has beyond the one before it, so its middle counts too.
    """
    found = 0
    for file in folder.iterdir():
        data = file.read_bytes().lower()
        found += sum(data.count(word[3:].encode()) for word in WORDS)
    return found


def main(arguments: Sequence[str]) -> None:
    """See the module."""
    if "--newer" in arguments:
        _take_newer()
    _force_off("--careless" in arguments)
    reports = []
    for seed in map(int, arguments[1].split(",")):
        folder = Path(arguments[0]) / str(seed)
        folder.mkdir(parents=True)
        reports.append(played(folder / "m.db", seed))
    sys.stdout.write(json.dumps(reports))


def played(path: Path, seed: int) -> dict[str, Any]:
    """One history in a store of its own."""
    import sqlite3

    from palimpsest import write
    from palimpsest.store import open_store
    from palimpsest.types import Scope

    scope, draw = Scope(user="ana", conversation="1"), random.Random(seed)
    with open_store(path) as store:
        with store.transaction():
            for number in range((3, 40, 400)[seed % 3]):
                extra = " ".join(f"w{draw.randrange(5000)}" for _ in range(draw.choice((2, 9))))
                store.memories.insert(
                    scope, text=f"Entry {number} {extra}.", source="api", attribute=None,
                    value=None, turn=None,
                )  # fmt: skip
        write.remember(store, scope, f"The key is {WORDS[0]}.", attribute="key")
        write.correct(store, scope, f"The key is {WORDS[1]}.", attribute="key")
        third = write.remember(store, scope, f"The other key is {WORDS[2]}.").id
        for _ in range(draw.choice((0, 12))):
            write.remember(store, scope, f"Later entry {draw.random()}.")
        before = held(path.parent)
        store.memories.rewrite(scope, third, text="The other key is lost.", value=None)
        write.forget(store, scope, attribute="key")
        after = held(path.parent)
        searched = sum(len(store.lexical.search(scope, word)) for word in WORDS)
        whole = store.lexical.verify().ok
    return {"version": sqlite3.sqlite_version_info, "before": before, "after": after,
            "closed": held(path.parent), "searched": searched, "whole": whole}  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1:])
