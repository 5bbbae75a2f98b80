"""A restore, an import or a backup whose process is killed leaves the store as it was, or is whole."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.kill_points import KINDS, Killing, killing
from tests.support.moves import MOVES, STORES, copied, prepare, says, seen

MANY = 5
"""Kills of a move before statements, and as many within them."""


@pytest.fixture(scope="module")
def kills(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Killing]:
    with killing(tmp_path_factory.mktemp("moves")) as running:
        prepare(running.folder)
        yield running


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("move", sorted(MOVES))
def test_a_killed_move_is_whole_or_did_not_begin(
    kills: Killing, tmp_path: Path, move: str, kind: str
) -> None:
    """Done again it is whole, what was forgotten is in no byte, and no draft is left."""
    folder = copied(kills.folder, tmp_path / "whole")
    done = kills.work(move, kind, 0, folder)
    assert (True, 0) == (done.acknowledged, done.status)
    whole, none = seen(folder / STORES[move]), seen(kills.folder / STORES[move])
    assert whole != none
    for at in (1 + round(k * (done.counted - 1) / (MANY - 1)) for k in range(MANY)):
        folder = copied(kills.folder, tmp_path / "work")
        outcome = kills.work(move, kind, at, folder)
        assert (False, -signal.SIGKILL) == (outcome.acknowledged, outcome.status), at
        assert seen(folder / STORES[move]) in (none, whole), at
        assert move == "restore-lost" or not says(folder, STORES[move]), at
        assert kills.work(move, kind, 0, folder).acknowledged, at
        assert whole == seen(folder / STORES[move]), at
        assert [] == [file.name for file in folder.iterdir() if ".restoring" in file.name], at
