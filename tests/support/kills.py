"""Kills a process that writes to a store, and checks what the store holds afterwards."""

from __future__ import annotations

import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

from palimpsest import Memory
from palimpsest.conversation import Conversation
from tests.support.proposing import Proposing

ROOT = Path(__file__).resolve().parents[2]


def killed(path: Path, seed: int, module: str = "tests.support.killed") -> int:
    """Start the writer, kill it at a moment of the seed; the last turn that it acknowledged."""
    after = random.Random(seed).uniform(0.0, 0.35)
    process = subprocess.Popen(
        [sys.executable, "-m", module, str(path), str(seed)],
        cwd=ROOT, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    first = process.stdout.readline()
    time.sleep(after)
    process.send_signal(signal.SIGKILL)
    rest = process.stdout.read()
    process.wait()
    process.stdout.close()
    lines = [line for line in (first + rest).splitlines(keepends=True) if line.endswith("\n")]
    return int(lines[-1]) if lines else 0


def check(path: Path, acknowledged: int) -> None:
    """Every acknowledged turn is there, no reading is half applied, none applied twice."""
    connection = sqlite3.connect(path)
    try:
        assert [("ok",)] == connection.execute("PRAGMA integrity_check").fetchall()
        assert [] == connection.execute("PRAGMA foreign_key_check").fetchall()
    finally:
        connection.close()
    with Memory.open(path) as memory:
        talk = memory.conversation(user="ana", id="trip")
        assert acknowledged <= len(talk.turns())
        consistent(talk)
        talk.reflect(extractor=Proposing())
        consistent(talk)
        assert {"done"} == {reading.status for reading in talk.reflections()}


def consistent(talk: Conversation) -> None:
    """Readings, verdicts and rows tell one story."""
    verdicts = talk.verdicts()
    for reading in talk.reflections():
        made = [verdict for verdict in verdicts if verdict.turn == reading.turn]
        assert len(made) == (1 if reading.status == "done" else 0), reading
    rows = {row.id: row for row in talk.visible()}
    assert {v.memory for v in verdicts if v.action in ("add", "supersede")} <= rows.keys()
    for row in rows.values():
        merges = sum(v.action == "merge" and v.memory == row.id for v in verdicts)
        absorbed = [other for other in rows.values() if other.superseded_by == row.id
                    and other.text == row.text]  # fmt: skip
        assert 1 + merges + sum(other.seen for other in absorbed) >= row.seen >= 1 + merges, row
        assert row.superseded_by is None or row.superseded_by in rows
