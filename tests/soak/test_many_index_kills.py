"""The kills of indexing, a hundred of them, each looked at: run by ``make soak``."""

from __future__ import annotations

from pathlib import Path

from tests.support.index_kills import check, kill

KILLS = 100


def test_a_hundred_kills_of_indexing_leave_no_wrong_vector(tmp_path: Path) -> None:
    """A store a twenty-five kills; after each kill the index verifies and is made whole."""
    for seed in range(KILLS):
        path = tmp_path / f"m{seed // 25}.db"
        kill(path, seed)
        check(path)
