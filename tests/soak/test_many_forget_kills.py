"""The kills of forgets, two hundred of them: run by ``make soak``."""

from __future__ import annotations

from pathlib import Path

from tests.support.forget_kills import check

KILLS = 200


def test_two_hundred_kills_inside_forgets_leave_none_half_done(tmp_path: Path) -> None:
    """A store a twenty kills, so that each stays small enough to be looked at whole."""
    stands = []
    for seed in range(1, KILLS + 1):
        directory = tmp_path / str(seed // 20)
        directory.mkdir(exist_ok=True)
        stands.append(check(directory / "m.db", seed))
    assert {"complete", "not started"} == set(stands)
