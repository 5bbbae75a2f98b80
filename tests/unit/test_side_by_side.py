"""Processes that write, correct, read and forget at once lose nothing and bring nothing back."""

from __future__ import annotations

from pathlib import Path

from tests.support.side_by_side import check, work

PROCESSES, OPERATIONS = 4, 50


def test_four_processes_that_forget_at_once_lose_nothing(tmp_path: Path) -> None:
    """Each in the same conversation, also what another one said; no error is met, none locked."""
    told = work(tmp_path / "m.db", PROCESSES, OPERATIONS)
    counted = check(tmp_path / "m.db", told)
    assert counted["said"] > PROCESSES * OPERATIONS // 3
    assert counted["forgot"] > PROCESSES * OPERATIONS // 10
    assert counted["read"] > 0
