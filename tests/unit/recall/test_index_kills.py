"""A process killed at any point of indexing leaves an index that verifies and goes on."""

from __future__ import annotations

from pathlib import Path

from tests.support.index_kills import check, kill

KILLS = 20


def test_twenty_kills_leave_no_wrong_vector(tmp_path: Path) -> None:
    """Two users, two embedders that take turns, corrections and forgets in between."""
    path = tmp_path / "m.db"
    acknowledged = [kill(path, seed) for seed in range(KILLS)]

    assert min(acknowledged) > 0, "every writer wrote"
    assert check(path) > KILLS
