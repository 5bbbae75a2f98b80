"""Eight processes at once on one conversation: run by ``make soak``."""

from __future__ import annotations

from pathlib import Path

from tests.support.side_by_side import check, work

PROCESSES, OPERATIONS = 8, 200


def test_eight_processes_of_two_hundred_operations_lose_nothing(tmp_path: Path) -> None:
    """Writing, correcting, reading and forgetting: nothing lost, nothing resurrected, no lock."""
    told = work(tmp_path / "m.db", PROCESSES, OPERATIONS)
    counted = check(tmp_path / "m.db", told)
    assert counted["said"] > PROCESSES * OPERATIONS // 3
    assert counted["forgot"] > PROCESSES * OPERATIONS // 10
