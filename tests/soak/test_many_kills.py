"""The kills of the unit tests, two hundred of them: run by ``make soak``."""

from __future__ import annotations

from pathlib import Path

from tests.support.kills import check, killed

KILLS = 200


def test_two_hundred_kills_of_a_writer_lose_nothing(tmp_path: Path) -> None:
    """A store a fifty kills, so that each stays small enough to be looked at whole."""
    for seed in range(KILLS):
        path = tmp_path / f"m{seed // 50}.db"
        check(path, killed(path, seed))
