"""A process that is killed while its background reads loses and repeats nothing."""

from __future__ import annotations

from pathlib import Path

from tests.support.kills import check, killed


def test_no_reading_of_the_background_is_half_or_twice_applied(tmp_path: Path) -> None:
    """Two kills at random moments, one store after another; ``make soak`` has more."""
    for seed in range(2):
        path = tmp_path / f"{seed}.db"
        check(path, killed(path, seed, "tests.support.killed_in_background"))
