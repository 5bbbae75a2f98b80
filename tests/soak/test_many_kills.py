"""The kills of the unit tests, many more of them: run by ``make soak``."""

from __future__ import annotations

from pathlib import Path

from tests.support import kill_points
from tests.support.kills import check, killed
from tests.support.stages import STAGES

KILLS = 200
POINTS = 50
"""Kills a stage: half before statements, half within them."""


def test_two_hundred_kills_of_a_writer_lose_nothing(tmp_path: Path) -> None:
    """At random moments. A store a fifty kills, so that each stays small enough to look at."""
    for seed in range(KILLS):
        path = tmp_path / f"m{seed // 50}.db"
        check(path, killed(path, seed))


def test_two_hundred_kills_at_chosen_points_leave_all_or_nothing(tmp_path: Path) -> None:
    """Fifty a stage of observe, reflect, merge and consolidate, from the first to the last."""
    done = 0
    with kill_points.killing(tmp_path) as kills:
        for stage in STAGES:
            for kind in kill_points.KINDS:
                for at in kill_points.points(kills, stage, kind, POINTS // 2 + 2):
                    kill_points.check(kills, stage, kind, at)
                    done += 1
    assert done >= KILLS
