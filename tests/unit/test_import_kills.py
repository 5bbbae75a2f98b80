"""An import that is stopped leaves whole conversations, and the same command goes on."""

from __future__ import annotations

import signal
from pathlib import Path

from palimpsest import Memory
from tests.support.chat_log_files import large
from tests.support.log_kills import stopped, whole


def test_a_kill_leaves_whole_conversations(tmp_path: Path) -> None:
    """At four moments, one after another; what is in stays in, and the rest follows."""
    log, store, before = tmp_path / "log.json", tmp_path / "m.db", 0
    count = large(log, 3_000_000)
    for after in (0.0, 0.1, 0.25):
        stopped(log, store, after, signal.SIGKILL)
        held = whole(log, store)
        assert before <= held <= count
        before = held
    with Memory.open(store) as memory:
        done = memory.import_log(log, user="me")
    assert {"known": before, "added": count - before} == {"known": 0, "added": 0} | done.fates
    assert count == whole(log, store)


def test_an_interruption_says_what_is_in(tmp_path: Path) -> None:
    """Exit status 130, and the number of whole conversations that the store has."""
    log, store = tmp_path / "log.json", tmp_path / "m.db"
    large(log, 3_000_000)
    status, told = stopped(log, store, 0.05, signal.SIGINT)
    held = whole(log, store)
    assert (130, f"{held} conversations in the store, each whole; the same command goes on") == (
        status, told.splitlines()[0]
    )  # fmt: skip
