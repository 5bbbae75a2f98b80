"""A process that dies at a chosen point of the write path leaves all of the work or none."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.kill_points import KINDS, Killing, check, killing, points
from tests.support.stages import STAGES, rows


@pytest.fixture(scope="module")
def kills(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Killing]:
    with killing(tmp_path_factory.mktemp("kills")) as running:
        yield running


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize(("kind", "many"), [("statement", 3), ("step", 2)])
def test_a_kill_leaves_all_of_a_stage_or_none(
    kills: Killing, stage: str, kind: str, many: int
) -> None:
    """Twenty kills, before and within statements; done again it is done once, row by row."""
    chosen = points(kills, stage, kind, many)
    assert many == len(chosen)
    for at in chosen:
        check(kills, stage, kind, at)


def test_the_check_sees_work_that_was_half_done(kills: Killing) -> None:
    """Two transactions in a row are told from one: somewhere between them a kill is found out."""
    found = 0
    for at in points(kills, "torn", "statement", 6):
        try:
            check(kills, "torn", "statement", at)
        except AssertionError:
            found += 1
    assert found >= 3


def test_the_last_point_is_after_the_commit(kills: Killing) -> None:
    """The work is there although nobody was told, so a kill there is covered too."""
    for stage in STAGES:
        last, whole = kills.undisturbed(stage, KINDS[0])
        path = kills.copied(stage)
        assert not kills.work(stage, KINDS[0], last, path).acknowledged
        assert whole == rows(path)
