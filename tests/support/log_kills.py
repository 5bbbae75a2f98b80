"""Stops an import at some moment, and looks at what is in."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

from palimpsest import Memory
from tests.support.log_imports import said

ROOT = Path(__file__).resolve().parents[2]


def stopped(log: Path, store: Path, after: float, how: signal.Signals) -> tuple[int, str]:
    """Import ``log``, stop it ``after`` seconds from its first conversation; how it ended."""
    command = [sys.executable, "-m", "palimpsest.cli", "import", "--store", str(store), str(log)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True)  # fmt: skip
    before = _kept(store)
    while process.poll() is None and _kept(store) == before:
        time.sleep(0.002)
    time.sleep(after)
    process.send_signal(how)
    _, told = process.communicate()
    return process.returncode, told


def whole(log: Path, store: Path) -> int:
    """How many conversations are in; each has every turn of the log, and waits."""
    connection = sqlite3.connect(store)
    try:
        assert [("ok",)] == connection.execute("PRAGMA integrity_check").fetchall()
        assert [] == connection.execute("PRAGMA foreign_key_check").fetchall()
    finally:
        connection.close()
    expected = {f"chatgpt/{talk['id']}": _texts(talk) for talk in json.loads(log.read_bytes())}
    with Memory.open(store) as memory:
        names = memory.conversations("me")
        for name in names:
            turns = said(memory, name)
            assert expected[name] == [text for turn in turns for _, text in turn]
            waits = memory.conversation(user="me", id=name).reflections()
            assert list(range(1, len(turns) + 1)) == [reading.turn for reading in waits]
    return len(names)


def _texts(talk: dict[str, dict[str, dict[str, dict[str, dict[str, list[str]]]]]]) -> list[str]:
    messages = [node["message"] for node in talk["mapping"].values() if node["message"]]
    return [message["content"]["parts"][0] for message in messages]


def _kept(store: Path) -> int:
    """How many conversations another process has stored so far."""
    if not store.exists():
        return 0
    connection = sqlite3.connect(f"{store.as_uri()}?mode=ro", uri=True, timeout=30)
    try:
        (count,) = connection.execute("SELECT count(*) FROM conversations").fetchone()
    except sqlite3.OperationalError:
        return 0  # no table yet
    finally:
        connection.close()
    return int(count)
