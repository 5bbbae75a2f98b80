"""A process that writes, corrects, reads and forgets in a conversation that others work in too.

Every value is new, so that one which was forgotten can only come back by a fault. It writes one
JSON line for what was acknowledged; an error other than ``NotFound`` ends it.
"""

from __future__ import annotations

import json
import random
import sys

from palimpsest import Memory
from palimpsest.conversation import Conversation
from palimpsest.errors import NotFound
from tests.support.proposing import Proposing

_SHARES = {"write": 4, "correct": 2, "forget": 2, "others": 1, "reflect": 1}
"""Of ten operations."""


def attribute(name: int, number: int) -> str:
    """What the statement of a process is kept under."""
    return f"code-{name}-{number}"


def value(name: int, number: int, version: int) -> str:
    """A value that occurs nowhere else."""
    return f"QX-{name}{number:04d}{version}-canary"


class Worker:
    """One process of several; ``name`` is its number and ``of`` how many there are."""

    def __init__(self, talk: Conversation, name: int, of: int) -> None:
        self.talk, self.name, self.of = talk, name, of
        self.draw = random.Random(name)
        self.made = 0
        self.mine: dict[int, int] = {}
        """The version that each of its statements is at."""

    def operate(self) -> None:
        """One operation; what it is about may be gone by another process."""
        kinds, shares = zip(*_SHARES.items(), strict=True)
        kind = self.draw.choices(kinds, shares)[0] if self.mine else "write"
        try:
            getattr(self, f"_{kind}")()
        except NotFound:
            _tell("not found", kind)

    def _write(self) -> None:
        self.made += 1
        self.mine[self.made] = 0
        self._say(self.made, 0, "My code is")

    def _correct(self) -> None:
        number = self.draw.choice(list(self.mine))
        self.mine[number] += 1
        self._say(number, self.mine[number], "My code is now")

    def _say(self, number: int, version: int, words: str) -> None:
        name, held = attribute(self.name, number), value(self.name, number, version)
        said = f"{words} {held}."
        (turn,) = self.talk.observe(user=said, assistant=f"{held}, noted.")
        _tell("turn", turn.number, said)
        change = self.talk.correct if version else self.talk.remember
        change(said, attribute=name, value=held, turn=turn.number)
        _tell("said", name, said)

    def _forget(self) -> None:
        number = self.draw.choice(list(self.mine))
        del self.mine[number]
        self._gone(attribute(self.name, number))

    def _others(self) -> None:
        other = (self.name + 1) % self.of
        self._gone(attribute(other, self.draw.randint(1, self.made)))

    def _gone(self, name: str) -> None:
        self.talk.forget(attribute=name)
        _tell("forgot", name)

    def _reflect(self) -> None:
        done = self.talk.reflect(extractor=Proposing())
        _tell("read", [reading.status for reading in done])


def _tell(*what: object) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def run(path: str, name: int, of: int, operations: int) -> None:
    """Work on the store at ``path`` beside the other processes."""
    with Memory.open(path) as memory:
        worker = Worker(memory.conversation(user="ana", id="trip"), name, of)
        for _ in range(operations):
            worker.operate()


if __name__ == "__main__":
    run(sys.argv[1], *map(int, sys.argv[2:]))
