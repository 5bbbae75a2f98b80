"""A process whose background reads a store that another process reads as well, or dies of it."""

from __future__ import annotations

import os
import sys
import time

from palimpsest import Memory
from palimpsest.proposals import Seen
from tests.support.proposing import Proposing


def run(path: str, how: str) -> None:
    """Read all that waits at ``path``, or end the process in the middle of a reading."""

    def working(seen: Seen) -> None:
        if how == "dying":
            os._exit(7)
        time.sleep(0.05)  # so that two processes are at work at one time

    with Memory.open(path, reflect="background", extractor=Proposing(before=working)) as memory:
        assert memory.settled(30)


if __name__ == "__main__":
    run(sys.argv[1], sys.argv[2])
