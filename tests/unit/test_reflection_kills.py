"""A process that dies at any moment leaves whole turns and whole readings."""

from __future__ import annotations

from pathlib import Path

from tests.support.kills import check, killed

KILLS = 20


def test_no_reading_is_half_or_twice_applied_when_its_process_is_killed(tmp_path: Path) -> None:
    """Twenty kills of one writer, each followed by a look at all that the store holds."""
    path = tmp_path / "m.db"
    for seed in range(KILLS):
        check(path, killed(path, seed))
