"""Kills a process inside a forget, and looks at everything that the store holds afterwards."""

from __future__ import annotations

import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

from palimpsest import Memory
from palimpsest.store.lexical_tables import DUE
from tests.support.forget_killed import TOLD, older, value

ROOT = Path(__file__).resolve().parents[2]
_LONGEST = 0.03
"""Seconds, about: how long one of these forgets takes."""


def killed(path: Path, seed: int) -> tuple[int, set[int], set[int]]:
    """Start the process and kill it inside a forget of the seed.

    The first number of its round, and the numbers whose forgets had begun and were done.
    """
    draw, first = random.Random(seed), seed * 1000
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.support.forget_killed", str(path), str(first)],
        cwd=ROOT, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    wanted, lines = draw.randrange(TOLD), []
    for line in process.stdout:
        lines.append(line)
        if line == f"begin {first + wanted}\n":
            break
    time.sleep(draw.uniform(0.0, _LONGEST))
    process.send_signal(signal.SIGKILL)
    lines += process.stdout.readlines()
    process.wait()
    process.stdout.close()
    told = [line.split() for line in lines if line.endswith("\n")]
    begun = {int(number) for word, number in told if word == "begin"}
    return first, begun, {int(number) for word, number in told if word == "done"}


def check(path: Path, seed: int) -> str:
    """Every forget is complete or has not started; returns how the last one stands."""
    first, begun, done = killed(path, seed)
    stands = "none"
    with Memory.open(path) as memory:
        talk = memory.conversation(user="ana", id="trip")
        texts = [text for turn in talk.turns() for m in turn.messages for text in m.texts()]
        rows = {f"{row.text} {row.value}" for row in talk.visible()}
        records = {record.attribute: record for record in talk.deletions()}
        for number in range(first, first + TOLD):
            name, old, new = f"code-{number}", older(number), value(number)
            said = [sum(v in text for text in texts) for v in (old, new)]
            kept = [sum(v in row for row in rows) for v in (old, new)]
            if name in records:
                assert ([0, 0], [0, 0]) == (said, kept), name
                assert records[name].rows == 2
                assert records[name].values >= 1
                assert number in begun
                stands = "complete"
            else:
                assert ([3, 2], [1, 2]) == (said, kept), name
                assert number not in done
                stands = "not started" if number in begun else stands
    indexed(path)
    _bytes(path, [v for n in done for v in (older(n), value(n))])
    return stands


def indexed(path: Path) -> None:
    """No row is without its full-text row, and none of those is without its memory."""
    connection = sqlite3.connect(path)
    try:
        assert [("ok",)] == connection.execute("PRAGMA integrity_check").fetchall()
        assert [] == connection.execute("PRAGMA foreign_key_check").fetchall()
        due = {number for number, _, _ in connection.execute(DUE)}
        held = {number for (number,) in connection.execute("SELECT rowid FROM lexical")}
        assert due == held
    finally:
        connection.close()


def _bytes(path: Path, gone: list[str]) -> None:
    stored = b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert [] == [value for value in gone if value.encode() in stored]


__all__ = ["check", "indexed", "killed"]
