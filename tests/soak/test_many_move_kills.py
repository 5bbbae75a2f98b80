"""The kills of restores, imports and backups, two hundred of them: run by ``make soak``."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.support.kill_points import KINDS, killing
from tests.support.moves import MOVES, STORES, copied, prepare, says, seen

KILLS = 200


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("move", sorted(MOVES))
def test_a_killed_move_is_whole_or_did_not_begin(tmp_path: Path, move: str, kind: str) -> None:
    """Two hundred in all, spread over every statement of each move."""
    folder = tmp_path / "moves"
    folder.mkdir()
    with killing(folder) as kills:
        prepare(kills.folder)
        whole_folder = copied(kills.folder, tmp_path / "whole")
        done = kills.work(move, kind, 0, whole_folder)
        assert (True, 0) == (done.acknowledged, done.status)
        whole, none = seen(whole_folder / STORES[move]), seen(kills.folder / STORES[move])
        many = -(-KILLS // (len(MOVES) * len(KINDS)))
        for k in range(many):
            at = 1 + round(k * (done.counted - 1) / (many - 1))
            folder = copied(kills.folder, tmp_path / "work")
            outcome = kills.work(move, kind, at, folder)
            assert (False, -signal.SIGKILL) == (outcome.acknowledged, outcome.status), at
            assert seen(folder / STORES[move]) in (none, whole), at
            assert move == "restore-lost" or not says(folder, STORES[move]), at
            assert kills.work(move, kind, 0, folder).acknowledged, at
            assert whole == seen(folder / STORES[move]), at
            drafts = [f.name for f in folder.iterdir() if ".restoring" in f.name]
            assert [] == drafts, at
