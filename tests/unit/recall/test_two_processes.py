"""Two processes on one store: one indexes, both search, and the work is done once."""

from __future__ import annotations

import dataclasses
import time
from pathlib import Path

from palimpsest import Config, Memory
from palimpsest.settings import RecallSettings
from tests.support.embedders import Moody

LOOKS = dataclasses.replace(Config(), recall=RecallSettings(loop=0.05))


def whole(memory: Memory) -> bool:
    return [True] == [not c.missing and c.complete for c in memory._store.vectors.coverage()]


def test_two_stores_over_one_file_embed_each_memory_once(tmp_path: Path) -> None:
    """The lease keeps the second from what the first is at; the outcome is whole in both."""
    path = tmp_path / "m.db"
    first, second = Moody(delay=0.01), Moody(delay=0.01)
    with (
        Memory.open(path, embedder=first, config=LOOKS) as one,
        Memory.open(path, embedder=second, config=LOOKS) as two,
    ):
        for number in range(60):
            memory = (one, two)[number % 2]
            memory.conversation(user="ana", id="trip").remember(f"Fact {number} of bees.")
        end = time.monotonic() + 20
        while not whole(two) and time.monotonic() < end:
            time.sleep(0.02)
        (found,) = two._store.vectors.coverage()

    assert (60, 0, True) == (found.vectors, found.missing, found.complete)
    assert sorted(f"Fact {number} of bees." for number in range(60)) == sorted(
        first.embedded + second.embedded
    )
