"""What must hold of vectors after their process was killed, at whatever moment."""

from __future__ import annotations

import contextlib
import multiprocessing
import random
import time
from pathlib import Path

from palimpsest.embedders.hashed import Hashed
from palimpsest.recall.indexing import Pass
from palimpsest.store import Store, open_store
from palimpsest.types import Scope
from tests.support.embedders import Moody
from tests.support.index_killed import run

USERS = ("ana", "bob")


def kill(path: Path, seed: int) -> int:
    """Kill one writer at a moment of the seed; the last memory that it acknowledged.

    Writers are forked from a server that has imported everything, so that a kill takes as
    long as the writing that it ends.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.support.index_killed"])
    told, tells = context.Pipe(duplex=False)
    process = context.Process(target=run, args=(str(path), seed, tells))
    process.start()
    tells.close()
    last: int = told.recv()
    time.sleep(random.Random(seed).uniform(0.0, 0.35))
    process.kill()
    process.join()
    with contextlib.suppress(EOFError):
        while True:
            last = told.recv()
    told.close()
    process.close()
    return last


def check(path: Path) -> int:
    """No vector is wrong, no search returns what is gone, and one pass makes it whole."""
    with open_store(path) as store:
        found = store.lexical.verify(), *store.vectors.verify()
        assert [] == [item for item in found if not item.ok]
        for dimensions in (64, 96):
            _search(store, dimensions)
            assert Pass(store.vectors, Moody(dimensions=dimensions)).run().complete
            _search(store, dimensions)
        assert [0, 0] == [item.missing for item in store.vectors.coverage()]
        return sum(item.vectors for item in store.vectors.coverage())


def _search(store: Store, dimensions: int) -> None:
    number = store.vectors.number(f"moody-{dimensions}", dimensions)
    if number is None:
        return
    query = Hashed(dimensions=dimensions).query("Which fact of bees?")
    for user in USERS:
        scope = Scope(user=user, conversation="trip")
        current = {memory.id for memory in store.memories.visible(scope)}
        got = set(store.vectors.search(scope, number, query, threshold=-1.0, limit=100_000))
        assert got <= current
        if store.vectors.complete(number) and not store.vectors.missing(number, limit=1):
            assert got == current
