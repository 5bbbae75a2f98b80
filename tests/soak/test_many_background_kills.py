"""The kills of the background, many times over, each store killed again and again."""

from __future__ import annotations

from pathlib import Path

from tests.support.kills import check, killed


def test_forty_kills_of_a_background(tmp_path: Path) -> None:
    """Ten stores, four kills each, checked after every one."""
    for store in range(10):
        path, acknowledged = tmp_path / f"{store}.db", 0
        for round in range(4):
            seed = 100 * store + round
            last = killed(path, seed, "tests.support.killed_in_background")
            acknowledged = max(acknowledged, last)
            check(path, acknowledged)
