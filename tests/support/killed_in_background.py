"""A process that observes while its background reads, until it is killed.

It writes one line to standard output for each turn that was acknowledged.
"""

from __future__ import annotations

import random
import sys
import time

from palimpsest import Memory
from palimpsest.proposals import Seen
from tests.support.killed import PLACES, plan
from tests.support.proposing import Proposing


def run(path: str, seed: int) -> None:
    """Work for ever on the store at ``path``."""
    draw = random.Random(seed)

    def slow(seen: Seen) -> None:
        time.sleep(draw.uniform(0.0, 0.01))

    extractor = Proposing(plan(100_000), before=slow)
    with Memory.open(path, reflect="background", extractor=extractor) as memory:
        talk = memory.conversation(user="ana", id="trip")
        while True:
            text = (
                f"My next stay is in {draw.choice(PLACES)}."
                if draw.random() < 0.7
                else "I drink tea."
            )
            (turn,) = talk.observe(user=text, assistant="Noted.")
            sys.stdout.write(f"{turn.number}\n")
            sys.stdout.flush()
            time.sleep(draw.uniform(0.0, 0.01))


if __name__ == "__main__":
    run(sys.argv[1], int(sys.argv[2]))
