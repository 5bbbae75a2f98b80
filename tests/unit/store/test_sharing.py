"""Threads and processes that share a store lose nothing and read one state at a time."""

from __future__ import annotations

import multiprocessing
import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from palimpsest.store import Store, open_store
from palimpsest.store.database import Database
from palimpsest.types import Message, Scope, Turn

SCOPE = Scope(user="ana", conversation="trip")


def write_many(store: Store, name: str, count: int) -> None:
    """Write turns and memories one by one."""
    for number in range(count):
        with store.transaction():
            store.turns.add(
                SCOPE,
                [
                    Turn(
                        number=store.turns.last(SCOPE) + 1,
                        messages=(Message(role="user", content=f"{name}-{number}"),),
                    )
                ],
            )
            store.memories.insert(
                SCOPE, text=f"{name}-{number}", source="api", attribute=None, value=None, turn=None
            )


def process(path: str, name: str, threads: int, count: int) -> None:
    """One process with several threads over one store."""
    with open_store(path) as store:
        workers = [
            threading.Thread(target=write_many, args=(store, f"{name}{t}", count))
            for t in range(threads)
        ]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()


def test_two_processes_of_four_threads_lose_nothing(tmp_path: Path) -> None:
    """Eight writers at once: every row is there, and no id or number was given twice."""
    path = str(tmp_path / "m.db")
    context = multiprocessing.get_context("spawn")
    children = [context.Process(target=process, args=(path, name, 4, 12)) for name in ("a", "b")]
    for child in children:
        child.start()
    for child in children:
        child.join(timeout=60)
    assert [0, 0] == [child.exitcode for child in children]
    expected = {f"{p}{t}-{n}" for p in "ab" for t in range(4) for n in range(12)}
    with open_store(path) as store:
        turns = list(store.turns.newest(SCOPE))
        memories = list(store.visible.newest(SCOPE, current=True))
        assert expected == {turn.user for turn in turns} == {row.text for row in memories}
        assert list(range(96, 0, -1)) == [turn.number for turn in turns]
        assert list(range(96, 0, -1)) == [row.id for row in memories]


def test_a_reading_sees_one_state(tmp_path: Path) -> None:
    """What another process writes during a reading shows only after it."""
    path = tmp_path / "m.db"
    with open_store(path) as store, open_store(path) as other:
        write_many(store, "a", 1)
        with store.reading():
            assert 1 == store.turns.last(SCOPE)
            write_many(other, "b", 1)
            assert 1 == store.turns.last(SCOPE)
            assert 1 == len(list(store.view(SCOPE).memories(current=True)))
        assert 2 == store.turns.last(SCOPE)


def test_who_waits_for_another_process_keeps_no_thread_from_reading(tmp_path: Path) -> None:
    """While one thread waits to write, the others of its store read; then it writes."""
    path = tmp_path / "m.db"
    with open_store(path) as store:
        write_many(store, "before", 1)
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            writer = threading.Thread(target=write_many, args=(store, "after", 1))
            writer.start()
            for _ in range(100):
                assert ["before-0"] == [turn.user for turn in store.turns.newest(SCOPE)]
                time.sleep(0.001)
            assert writer.is_alive()
            other.execute("ROLLBACK")
        writer.join(60)
        assert ["after-0", "before-0"] == [turn.user for turn in store.turns.newest(SCOPE)]


def test_the_writers_of_a_store_share_their_looks_at_another_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Thirty that wait look as often as one would, and each of them writes once it may."""
    path, looks, real = tmp_path / "m.db", [], Database._begin_at_once

    def counted(database: Database) -> None:
        looks.append(time.monotonic())
        real(database)

    with open_store(path) as store, closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        monkeypatch.setattr(Database, "_begin_at_once", counted)
        writers = [
            threading.Thread(target=write_many, args=(store, f"w{number}", 1))
            for number in range(30)
        ]
        for writer in writers:
            writer.start()
        time.sleep(1)
        other.execute("ROLLBACK")
        for writer in writers:
            writer.join(60)
        # One alone makes 364 in a second; thirty that look each for itself made thousands.
        assert len(looks) < 1500
        assert {f"w{number}-0" for number in range(30)} == {
            turn.user for turn in store.turns.newest(SCOPE)
        }
