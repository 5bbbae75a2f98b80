"""A process that dies inside a forget leaves it complete or not begun."""

from __future__ import annotations

from pathlib import Path

from tests.support.forget_kills import check

KILLS = 20


def test_no_forget_is_half_done_when_its_process_is_killed(tmp_path: Path) -> None:
    """Twenty kills inside forgets: every value is everywhere it was, or nowhere at all."""
    for seed in range(1, KILLS + 1):
        directory = tmp_path / str(seed // 5)
        directory.mkdir(exist_ok=True)
        assert check(directory / "m.db", seed) in ("complete", "not started")
