"""A turn never waits: whatever the embedder does, the request comes in time and says so."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from palimpsest import Budget, Config, Memory
from palimpsest.conversation import Conversation
from palimpsest.ledger import Request
from palimpsest.protocols import Tokenizer
from palimpsest.settings import RecallSettings
from tests.support.embedders import Moody

ROOM = Budget(window=2000, answer=100)
DEADLINE = 0.3
SLACK = 1.5
"""What a busy machine may add."""
QUICK = RecallSettings(deadline=DEADLINE, failures=2, retry=0.2, loop=0.2)


@pytest.fixture
def moody() -> Iterator[Moody]:
    made = Moody()
    yield made
    made.answers.set()


@pytest.fixture
def talk(tmp_path: Path, chatml: Tokenizer, moody: Moody) -> Iterator[Conversation]:
    config = dataclasses.replace(Config(), recall=QUICK)
    with Memory.open(tmp_path / "m.db", tokenizer=chatml, config=config, embedder=moody) as memory:
        found = memory.conversation(user="ana", id="trip")
        found.remember("My bees are black.")
        assert memory.index() is not None
        yield found


def asked(talk: Conversation) -> tuple[Request, float]:
    began = time.monotonic()
    request = talk.request("What colour are my bees?", budget=ROOM, strategy="seats")
    return request, time.monotonic() - began


def eventually(true: Callable[[], bool]) -> bool:
    end = time.monotonic() + 10
    while time.monotonic() < end:
        if true():
            return True
        time.sleep(0.02)
    return False


def reasons(request: Request) -> list[str]:
    return [entry.reason for entry in request.ledger.memories]


def test_a_healthy_turn_is_recalled_by_meaning(talk: Conversation) -> None:
    """The seat says so, and it is counted as recalled."""
    request, _ = asked(talk)
    counts = [(count.candidate, count.served, count.recalled) for count in talk.counts()]

    assert ("", ["semantic"], [(1, 1, 1)]) == (request.degraded, reasons(request), counts)


def test_an_embedder_that_hangs_costs_one_deadline_and_recovers(
    talk: Conversation, moody: Moody
) -> None:
    """In time, degraded, served by words, counted as degraded and as nothing else."""
    moody.answers.clear()
    request, took = asked(talk)
    turnout = talk.turnout()
    kept = talk.kept_request(request.id)

    assert took < DEADLINE + SLACK
    assert ["lexical"] == reasons(request)
    assert "no answer within 0.3 seconds" in request.degraded
    assert kept is not None
    assert request.degraded == kept.degraded
    assert (0, 1) == (turnout.counted, turnout.degraded)
    assert [(0, 0)] == [(count.candidate, count.served) for count in talk.counts()]
    moody.answers.set()
    assert eventually(lambda: asked(talk)[0].degraded == "")


def test_an_outage_costs_few_deadlines_and_then_none(talk: Conversation, moody: Moody) -> None:
    """One that always answers too late opens the breaker, and a late probe leaves it open."""
    moody.delay = DEADLINE + 0.1
    took = []
    for _ in range(8):
        took.append(asked(talk)[1])
        time.sleep(0.2)

    assert 1 <= sum(seconds >= DEADLINE for seconds in took) <= 2
    moody.delay = 0.0
    assert eventually(lambda: asked(talk)[0].degraded == "")


def test_an_embedder_that_raises_is_degraded_at_once_and_recovers(
    talk: Conversation, moody: Moody
) -> None:
    """Its name and the kind of the error are told, never its message."""
    moody.error = RuntimeError("My bees are black.")
    first, _ = asked(talk)
    others = [asked(talk)[0].degraded for _ in range(3)]

    assert "RuntimeError in moody-64" == first.degraded
    assert all("RuntimeError in moody-64" in text and "black" not in text for text in others)
    assert "rests" in others[-1]
    moody.error = None
    assert eventually(lambda: asked(talk)[0].degraded == "")
    assert talk.turnout().counted >= 1


def test_a_turn_does_not_wait_for_indexing(talk: Conversation, moody: Moody) -> None:
    """While the embedder is held by a batch, the request comes by its deadline."""
    moody.answers.clear()
    moody.entered.clear()
    talk.remember("My sister keeps sheep.")
    assert moody.entered.wait(10), "the write was noticed"
    request, took = asked(talk)

    assert ("passages", True) == (moody.calls[-1], took < DEADLINE + SLACK)
    assert request.degraded
    moody.answers.set()
    assert eventually(lambda: asked(talk)[0].degraded == "")
    assert "My sister keeps sheep." in moody.embedded


def test_busy_for_longer_than_a_deadline_means_degraded_at_once(
    talk: Conversation, moody: Moody
) -> None:
    """A turn does not try what is known to be stuck, breaker or not."""
    moody.answers.clear()
    asked(talk)
    time.sleep(DEADLINE)
    request, took = asked(talk)

    assert took < DEADLINE
    assert "busy" in request.degraded


def test_an_outage_loses_no_memory(talk: Conversation, moody: Moody) -> None:
    """What was written during it waits, is found by words, and is embedded later."""
    moody.error = ConnectionError()
    talk.remember("My sister keeps sheep.")
    request = talk.request("Which sheep?", budget=ROOM, strategy="seats")
    assert ["quota", "lexical"] == reasons(request)
    moody.error = None

    def by_meaning() -> bool:
        later = talk.request("Which sheep?", budget=ROOM, strategy="seats")
        return ["quota", "semantic"] == reasons(later)

    assert eventually(by_meaning)


def test_many_threads_ask_one_embedder(talk: Conversation, moody: Moody) -> None:
    """Every question gets its own vector; none is mixed up."""
    found: list[str] = []

    def ask() -> None:
        found.extend(asked(talk)[0].degraded for _ in range(5))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [""] * 20 == found


def test_vectors_that_are_not_all_there_serve_nothing_yet(
    tmp_path: Path, chatml: Tokenizer
) -> None:
    """Another embedder takes over without a gap: words serve until it has them all."""
    path = tmp_path / "m.db"
    with Memory.open(path, tokenizer=chatml, embedder=Moody(dimensions=384)) as memory:
        talk = memory.conversation(user="ana", id="trip")
        talk.remember("My bees are black.")
        memory.index()
        before, _ = asked(talk)
    slow = Moody(dimensions=1536)
    slow.answers.clear()
    config = dataclasses.replace(Config(), recall=QUICK)
    with (
        Memory.open(path, tokenizer=chatml, embedder=slow, config=config) as memory,
        Memory.open(path, tokenizer=chatml, embedder=Moody(dimensions=384)) as old,
    ):
        talk = memory.conversation(user="ana", id="trip")
        during, _ = asked(talk)
        beside, _ = asked(old.conversation(user="ana", id="trip"))
        slow.answers.set()
        assert eventually(lambda: asked(talk)[0].degraded == "")
        after, _ = asked(talk)

    assert before.sent == during.sent == after.sent
    assert (["lexical"], True) == (reasons(during), bool(during.degraded))
    assert ["semantic"] == reasons(before) == reasons(beside) == reasons(after)


def test_a_thread_that_hangs_does_not_keep_the_process_from_ending(tmp_path: Path) -> None:
    """Neither closing the memory nor the end of the program waits for it."""
    program = (
        "import sys; from palimpsest import Memory\n"
        "from tests.support.embedders import Moody\n"
        "moody = Moody(); moody.answers.clear()\n"
        "memory = Memory.open(sys.argv[1], embedder=moody)\n"
        "memory.conversation(user='u', id='c').remember('A fact.')\n"
        "assert moody.entered.wait(10); memory.close()\n"
    )
    began = time.monotonic()
    subprocess.run([sys.executable, "-c", program, str(tmp_path / "m.db")], check=True, timeout=30)

    assert time.monotonic() - began < 15


def test_who_waits_for_the_index_is_told_when_the_store_is_closed(tmp_path: Path) -> None:
    """Also where the embedder hangs in a batch; without a pass there is no outcome."""
    moody = Moody()
    moody.answers.clear()
    found: list[object] = []
    with Memory.open(tmp_path / "m.db", embedder=moody) as memory:
        memory.conversation(user="ana", id="trip").remember("My bees are black.")
        waiting = threading.Thread(target=lambda: found.append(memory.index()), daemon=True)
        waiting.start()
        assert moody.entered.wait(20)
        time.sleep(0.3)  # the wish may come before the batch, in it or after it
    waiting.join(20)
    moody.answers.set()
    assert [None] == found
