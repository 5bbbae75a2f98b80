"""A process that tells values and forgets them, one after the other, until it is killed.

It writes ``begin N`` before each forget and ``done N`` when it was acknowledged.
"""

from __future__ import annotations

import sys

from palimpsest import Memory

TOLD = 4
"""Values a round; every one is said in turns, echoed, corrected, and anchored in another memory."""


def value(number: int) -> str:
    """A value that occurs nowhere else."""
    return f"QX-{number:05d}-canary"


def older(number: int) -> str:
    """The value that it replaced."""
    return f"OLD-{number:05d}-canary"


def run(path: str, first: int) -> None:
    """Tell a round of values and forget them, again and again."""
    with Memory.open(path) as memory:
        talk = memory.conversation(user="ana", id="trip")
        while True:
            for number in range(first, first + TOLD):
                name = f"code-{number}"
                said = f"My code is {older(number)}."
                (turn,) = talk.append(user=said, assistant=f"{older(number)}, noted.")
                talk.remember(said, attribute=name, value=older(number), turn=turn.number)
                said = f"My code is now {value(number)} and I live in Oslo."
                (turn,) = talk.append(user=said, assistant=f"Not {older(number)}, {value(number)}.")
                talk.correct(said, attribute=name, value=value(number), turn=turn.number)
                talk.remember(f"The note says {value(number)} twice.", attribute=f"note-{number}",
                              value="twice")  # fmt: skip
            for number in range(first, first + TOLD):
                _tell(f"begin {number}")
                talk.forget(attribute=f"code-{number}")
                _tell(f"done {number}")
            first += TOLD


def _tell(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    run(sys.argv[1], int(sys.argv[2]))
