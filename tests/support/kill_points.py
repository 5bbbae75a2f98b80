"""Kills the work of a stage at chosen points, and checks that it was done wholly or not at all."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from tests.support import stages

ROOT = Path(__file__).resolve().parents[2]
KINDS = ("statement", "step")


class Outcome(NamedTuple):
    """How a piece of work ended."""

    acknowledged: bool
    status: int
    counted: int
    """The points that it passed, where it lived to tell."""


@dataclass(frozen=True)
class Killing:
    """One process that forks the workers, and the folder that their stores are in."""

    server: subprocess.Popen[str]
    folder: Path
    known: dict[tuple[str, str], tuple[int, dict[str, list[tuple[Any, ...]]]]] = field(
        default_factory=dict
    )

    def work(self, stage: str, kind: str, at: int, path: Path) -> Outcome:
        """Do the work of a stage on a store; it is killed at point ``at``, never at 0."""
        assert self.server.stdin is not None
        assert self.server.stdout is not None
        self.server.stdin.write(f"{stage} {kind} {at} {path}\n")
        self.server.stdin.flush()
        acknowledged = False
        while not (line := self.server.stdout.readline()).startswith("exit "):
            assert line, "the server of kills ended"
            acknowledged = acknowledged or line == "done\n"
        _, status, counted = line.split()
        return Outcome(acknowledged, int(status), int(counted))

    def before(self, stage: str) -> Path:
        """The prepared store of a stage; made once, copied for each kill."""
        path = self.folder / f"{stage}.db"
        if not path.exists():
            stages.prepare(path, stage)
        return path

    def copied(self, stage: str) -> Path:
        """A store of its own to work on."""
        path = self.folder / "work.db"
        for old in self.folder.glob("work.db*"):
            old.unlink()
        shutil.copy(self.before(stage), path)
        return path

    def undisturbed(self, stage: str, kind: str) -> tuple[int, dict[str, list[tuple[Any, ...]]]]:
        """How many points the work has, and the rows that it leaves."""
        if (stage, kind) not in self.known:
            path = self.copied(stage)
            outcome = self.work(stage, kind, 0, path)
            assert (True, 0) == (outcome.acknowledged, outcome.status), stage
            self.known[stage, kind] = outcome.counted, stages.rows(path)
        return self.known[stage, kind]


@contextmanager
def killing(folder: Path) -> Iterator[Killing]:
    """The server that forks, until the block ends."""
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.support.kill_server"],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        yield Killing(server, folder)
    finally:
        server.communicate()


def check(kills: Killing, stage: str, kind: str, at: int) -> None:
    """Killed at a point, the store holds all of the work or none; done again, exactly all."""
    _, whole = kills.undisturbed(stage, kind)
    none = stages.rows(kills.before(stage))
    assert whole != none, f"{stage} does nothing"
    path = kills.copied(stage)
    outcome = kills.work(stage, kind, at, path)
    assert (False, -signal.SIGKILL) == (outcome.acknowledged, outcome.status), (stage, kind, at)
    held = stages.rows(path)
    assert held in (none, whole), _differing(held, none, whole)
    if stage == "observe" and held == whole:
        return  # nobody was told: whoever says it again says it twice
    again = kills.work(stage, kind, 0, path)
    assert (True, 0) == (again.acknowledged, again.status), (stage, kind, at)
    assert whole == stages.rows(path), _differing(stages.rows(path), whole)


def points(kills: Killing, stage: str, kind: str, many: int) -> list[int]:
    """So many points of a stage, the first and the last among them."""
    last, _ = kills.undisturbed(stage, kind)
    many = min(many, last)
    return sorted({1 + round(k * (last - 1) / max(1, many - 1)) for k in range(many)})


def _differing(held: dict[str, Any], *known: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {name: (held.get(name), rows) for name, rows in each.items() if held.get(name) != rows}
        for each in known
    ]
