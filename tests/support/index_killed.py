"""A process that writes, corrects, forgets and indexes until it is killed.

It sends the id of each memory that was acknowledged.
"""

from __future__ import annotations

import dataclasses
import random
from multiprocessing.connection import Connection

from palimpsest import Config, Memory
from palimpsest.settings import RecallSettings
from tests.support.embedders import Moody

OFTEN = RecallSettings(loop=0.01)


def run(path: str, seed: int, told: Connection) -> None:
    """Work for ever on the store at ``path``."""
    draw = random.Random(seed)
    config = dataclasses.replace(Config(), recall=OFTEN)
    # The embedder of 64 dimensions gives way to one of 96, and back.
    embedder = Moody(dimensions=draw.choice((64, 96)), delay=0.001)
    with Memory.open(path, config=config, embedder=embedder) as memory:
        talk = memory.conversation(user=draw.choice(("ana", "bob")), id="trip")
        while True:
            made = talk.remember(f"Fact {draw.random()} of bees.", attribute=f"a{draw.random()}")
            told.send(made.id)
            if draw.random() < 0.3:
                known = talk.current()
                chosen = known[draw.randrange(len(known))]
                if draw.random() < 0.5:
                    talk.forget(id=chosen.id)
                else:
                    talk.correct(f"Newer {draw.random()}.", id=chosen.id)
