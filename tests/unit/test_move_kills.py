"""A restore or an import whose process is killed leaves the store as it was, or is whole."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.kill_points import KINDS, Killing, killing
from tests.support.moves import GONE, MOVES, STORES, prepare, seen

MANY = 5
"""Kills of a move before statements, and as many within them."""


@pytest.fixture(scope="module")
def kills(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Killing]:
    with killing(tmp_path_factory.mktemp("moves")) as running:
        prepare(running.folder)
        yield running


def copied(kills: Killing, folder: Path) -> Path:
    """A folder of its own to move in."""
    shutil.rmtree(folder, ignore_errors=True)
    return Path(shutil.copytree(kills.folder, folder))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("move", sorted(MOVES))
def test_a_killed_move_is_whole_or_did_not_begin(
    kills: Killing, tmp_path: Path, move: str, kind: str
) -> None:
    """Done again it is whole, what was forgotten is in no byte, and no draft is left."""
    folder = copied(kills, tmp_path / "whole")
    done = kills.work(move, kind, 0, folder)
    assert (True, 0) == (done.acknowledged, done.status)
    whole, none = seen(folder / STORES[move]), seen(kills.folder / STORES[move])
    assert whole != none
    for at in (1 + round(k * (done.counted - 1) / (MANY - 1)) for k in range(MANY)):
        folder = copied(kills, tmp_path / "work")
        outcome = kills.work(move, kind, at, folder)
        assert (False, -signal.SIGKILL) == (outcome.acknowledged, outcome.status), at
        assert seen(folder / STORES[move]) in (none, whole), at
        assert move == "restore-lost" or not says(folder, STORES[move]), at
        assert kills.work(move, kind, 0, folder).acknowledged, at
        assert whole == seen(folder / STORES[move]), at
        assert [] == [file.name for file in folder.iterdir() if ".restoring" in file.name], at


def says(folder: Path, name: str) -> bool:
    """True where a file of a store holds the value that was forgotten."""
    return any(GONE.encode() in file.read_bytes() for file in folder.glob(f"{name}*"))
