"""Forks a process for each piece of work, and lets it kill itself at a chosen point.

The point is a statement of SQLite (before it runs, the commit among them) or a step within
statements: no code of the program knows of it. Lines come in as ``stage kind point path``; out
go ``done`` where the work was acknowledged, and ``exit STATUS POINTS``.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import sys
from pathlib import Path
from typing import Any

from tests.support import moves, stages

STEP = 12
"""Instructions of SQLite's machine between two steps."""


class Points:
    """Counts what SQLite does while it is armed, and kills this process at one of it."""

    def __init__(self, kind: str, at: int) -> None:
        self.kind = kind
        self.at = at
        self.armed = False
        self.counted = 0
        self._connect = sqlite3.connect

    def connect(self, *args: Any, **kw: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = self._connect(*args, **kw)
        if self.kind == "statement":
            connection.set_trace_callback(lambda sql: self.reached())
        else:
            connection.set_progress_handler(self.reached, STEP)
        return connection

    def reached(self) -> int:
        if self.armed:
            self.counted += 1
            if self.counted == self.at:
                os.kill(os.getpid(), signal.SIGKILL)
        return 0


def work(stage: str, kind: str, at: int, path: Path) -> int:
    """Do the work of a stage; returns how many points it passed."""
    points = Points(kind, at)
    sqlite3.connect = points.connect  # type: ignore[assignment]
    if stage in moves.MOVES:
        points.armed = True
        moves.MOVES[stage](path)
        return _told(points)
    with stages.opened(path) as memory:
        talk = stages.of(memory)
        points.armed = True
        stages.WORK[stage](talk)
        return _told(points)


def _told(points: Points) -> int:
    points.reached()  # after the last of it, before anybody is told
    points.armed = False
    sys.stdout.write("done\n")
    sys.stdout.flush()
    return points.counted


def main() -> None:
    """Serve until standard input ends."""
    for line in sys.stdin:
        stage, kind, at, path = line.rstrip("\n").split(" ", 3)
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            os.write(writer, str(work(stage, kind, int(at), Path(path))).encode())
            os._exit(0)
        os.close(writer)
        _, status = os.waitpid(child, 0)
        counted = os.read(reader, 32).decode() or "0"
        os.close(reader)
        sys.stdout.write(f"exit {os.waitstatus_to_exitcode(status)} {counted}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
