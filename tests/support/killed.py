"""A process that observes, reads, merges and consolidates until it is killed.

It writes one line to standard output for each turn that was acknowledged.
"""

from __future__ import annotations

import random
import sys
from typing import Any

from palimpsest import Memory
from tests.support.proposing import Proposing

PLACES = ("Oslo", "Porto", "Lima", "Turin", "Ghent")


def run(path: str, seed: int) -> None:
    """Work for ever on the store at ``path``."""
    draw = random.Random(seed)
    with Memory.open(path) as memory:
        talk = memory.conversation(user="ana", id="trip")
        while True:
            place = draw.choice(PLACES)
            text = f"My next stay is in {place}." if draw.random() < 0.7 else "I drink tea."
            (turn,) = talk.observe(user=text, assistant="Noted.")
            sys.stdout.write(f"{turn.number}\n")
            sys.stdout.flush()
            if draw.random() < 0.6:
                talk.reflect(extractor=Proposing(plan(turn.number)))
            if draw.random() < 0.2:
                talk.consolidate()


def plan(last: int) -> dict[int, list[dict[str, Any]]]:
    """A stay is a correction of the one before; tea is a repetition."""
    stay = {"op": "correct", "attribute": "stay"}
    return {number: [dict(stay)] for number in range(1, last + 1) if number % 3}


if __name__ == "__main__":
    run(sys.argv[1], int(sys.argv[2]))
