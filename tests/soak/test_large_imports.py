"""A log of a gigabyte, and imports that are killed many times: run by ``make soak``."""

from __future__ import annotations

import random
import signal
from pathlib import Path

from benchmarks import imports
from palimpsest import Memory
from tests.support.chat_log_files import large
from tests.support.log_kills import stopped, whole

GIGABYTE = 1_000_000_000
KILLS = 40


def test_a_gigabyte_is_imported_in_bounded_memory() -> None:
    """The array of a large export, and sessions that run side by side in one file."""
    costs = imports.measure(GIGABYTE)
    assert [] == imports.over(costs), costs
    assert all(cost.bytes >= GIGABYTE for cost in costs)


def test_forty_kills_of_an_import_leave_whole_conversations(tmp_path: Path) -> None:
    """A store five kills; in the end the whole log is in."""
    log, chance = tmp_path / "log.json", random.Random(8)
    count = large(log, 6_000_000)
    for store in (tmp_path / f"{number}.db" for number in range(KILLS // 5)):
        before = 0
        for _ in range(5):
            stopped(log, store, chance.uniform(0.0, 0.3), signal.SIGKILL)
            held = whole(log, store)
            assert before <= held <= count
            before = held
        with Memory.open(store) as memory:
            memory.import_log(log, user="me")
        assert count == whole(log, store)
