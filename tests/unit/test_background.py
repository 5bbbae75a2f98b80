"""A thread of the Memory reads what is observed; a turn waits for nothing and is never lost."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from palimpsest import Memory, background
from palimpsest.config import Config
from palimpsest.conversation import Conversation
from palimpsest.errors import InputError, SpecError
from palimpsest.proposals import Seen
from palimpsest.settings import ReflectionSettings
from tests.support.proposing import Proposing

ROOT = Path(__file__).resolve().parents[2]
HASTY = Config(reflection=ReflectionSettings(seconds=0.3))


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Short patience, and no thread of ours is left at the end."""
    monkeypatch.setattr(background, "GRACE", 0.2)
    monkeypatch.setattr(background, "_TICK", 0.02)
    yield
    assert not [t for t in threading.enumerate() if t.name == "palimpsest-reflection"]


class Gate:
    """An extractor's ``before`` that blocks until it is opened; counts who came."""

    def __init__(self) -> None:
        self.opened, self.reached, self.came = threading.Event(), threading.Event(), 0

    def __call__(self, seen: Seen) -> None:
        self.came += 1
        self.reached.set()
        self.opened.wait(30)


def said(talk: Conversation, *texts: str) -> None:
    for text in texts:
        talk.observe(user=text, assistant="Noted.")


def statuses(talk: Conversation) -> list[str]:
    return [reading.status for reading in talk.reflections()]


def test_what_is_observed_is_read_in_the_background() -> None:
    """By the extractor of the settings, without a call."""
    with Memory.open(":memory:", reflect="background") as memory:
        talk = memory.conversation(user="ana", id="trip")
        said(talk, "I live in Oslo.")
        assert memory.settled()
        assert ["I live in Oslo."] == [row.text for row in talk.current()]


def test_observing_waits_for_no_extractor(tmp_path: Path) -> None:
    """Turns and requests go on while a reading blocks; it is committed when it comes."""
    gate = Gate()
    path = tmp_path / "memory.db"
    with Memory.open(path, reflect="background", extractor=Proposing(before=gate)) as memory:
        talk = memory.conversation(user="ana", id="trip")
        said(talk, "I live in Oslo.")
        assert gate.reached.wait(10)
        began = time.monotonic()
        said(talk, "I have a dog.", "I work at Acme.")
        assert time.monotonic() - began < 2.0
        assert ["pending"] * 3 == statuses(talk)
        assert not memory.settled(0.05)
        gate.opened.set()
        assert memory.settled()
        assert (["done"] * 3, 3) == (statuses(talk), len(talk.current()))


def test_the_turn_that_waits_longest_is_read_first() -> None:
    """Across conversations and users, and in each by turn."""
    order: list[tuple[str, int]] = []
    gate = Gate()

    def note(seen: Seen) -> None:
        gate(seen)
        order.append((seen.turn.user, seen.turn.number))

    with Memory.open(":memory:", reflect="background", extractor=Proposing(before=note)) as memory:
        one, two = (memory.conversation(user=user, id="trip") for user in ("ana", "bob"))
        for talk, text in ((one, "a"), (two, "b"), (one, "c"), (two, "d")):
            said(talk, text)
        gate.opened.set()
        assert memory.settled()
    assert [("a", 1), ("b", 1), ("c", 2), ("d", 2)] == order


@pytest.mark.parametrize(
    "fault", [ValueError("My PIN is 4417"), SystemExit(3), KeyboardInterrupt()]
)
def test_an_extractor_that_raises_fails_its_turn_alone(fault: BaseException) -> None:
    """Even one that asks the program to end; the fault is visible, and the next turn is read."""

    def fail(seen: Seen) -> None:
        if seen.turn.number == 1:
            raise fault

    with Memory.open(":memory:", reflect="background", extractor=Proposing(before=fail)) as memory:
        talk = memory.conversation(user="ana", id="trip")
        said(talk, "My PIN is 4417.", "I have a dog.")
        assert memory.settled()
        assert ["failed", "done"] == statuses(talk)
        (failed, _) = talk.reflections()
        assert type(fault).__name__ in failed.error
        assert "4417" not in failed.error
        assert ["I have a dog."] == [row.text for row in talk.current()]


def test_an_extractor_that_hangs_fails_its_turn_and_is_not_called_meanwhile() -> None:
    """Its late answer is dropped; the turns behind it wait and are read when it is back."""
    gate = Gate()
    with Memory.open(
        ":memory:", config=HASTY, reflect="background", extractor=Proposing(before=gate)
    ) as memory:
        talk = memory.conversation(user="ana", id="trip")
        said(talk, "I live in Oslo.")
        assert gate.reached.wait(10)
        said(talk, "I have a dog.")
        deadline = time.monotonic() + 10
        while "failed" not in statuses(talk) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert (["failed", "pending"], 1) == (statuses(talk), gate.came)
        assert "no answer within 0.3 seconds" in talk.reflections()[0].error
        gate.opened.set()
        time.sleep(0.1)
        said(talk, "I work at Acme.")
        assert memory.settled()
        assert ["failed", "done", "done"] == statuses(talk)
        assert 2 == len(talk.current())


def test_closing_leaves_what_is_not_read_waiting(tmp_path: Path) -> None:
    """A reading that does not end in time is broken off; the next process reads the turns."""
    gate, path = Gate(), tmp_path / "memory.db"
    memory = Memory.open(path, reflect="background", extractor=Proposing(before=gate))
    talk = memory.conversation(user="ana", id="trip")
    said(talk, "I live in Oslo.", "I have a dog.")
    assert gate.reached.wait(10)
    began = time.monotonic()
    memory.close()
    memory.close()
    assert time.monotonic() - began < 5.0
    gate.opened.set()
    with Memory.open(path, reflect="background", extractor=Proposing()) as again:
        talk = again.conversation(user="ana", id="trip")
        assert again.settled()
        assert (["done"] * 2, 2) == (statuses(talk), len(talk.current()))
        assert {1} == {row.seen for row in talk.current()}


def test_closing_finishes_a_reading_that_is_nearly_done(tmp_path: Path) -> None:
    """It has the grace for it; what waits behind it is not begun."""
    path = tmp_path / "memory.db"
    reached = threading.Event()

    def slow(seen: Seen) -> None:
        reached.set()
        time.sleep(0.1)

    memory = Memory.open(path, reflect="background", extractor=Proposing(before=slow))
    said(memory.conversation(user="ana", id="trip"), "I live in Oslo.", "I have a dog.")
    assert reached.wait(10)
    memory.close()
    with Memory.open(path) as again:
        assert ["done", "pending"] == statuses(again.conversation(user="ana", id="trip"))


def test_a_process_that_dies_of_its_extractor_loses_no_turn(tmp_path: Path) -> None:
    """The turns still wait, none is half read."""
    path = tmp_path / "memory.db"
    with Memory.open(path) as memory:
        said(memory.conversation(user="ana", id="trip"), "I live in Oslo.", "I have a dog.")
    died = _process(path, "dying")
    assert 7 == died.wait(60)
    with Memory.open(path) as memory:
        talk = memory.conversation(user="ana", id="trip")
        assert (["pending"] * 2, ()) == (statuses(talk), talk.verdicts())


def test_two_processes_apply_no_turn_twice(tmp_path: Path) -> None:
    """Both read what waits; the first to commit wins each turn."""
    path = tmp_path / "memory.db"
    with Memory.open(path) as memory:
        talk = memory.conversation(user="ana", id="trip")
        said(talk, *(f"My locker number {n} opens with {n}{n}{n}{n}." for n in range(1, 9)))
    processes = [_process(path, "reading") for _ in range(2)]
    assert [0, 0] == [process.wait(60) for process in processes]
    with Memory.open(path) as memory:
        talk = memory.conversation(user="ana", id="trip")
        assert ["done"] * 8 == statuses(talk)
        assert (8, 8, {1}) == (
            len(talk.verdicts()), len(talk.current()), {row.seen for row in talk.current()},
        )  # fmt: skip


def test_what_another_process_observes_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody wakes the thread then: it looks from time to time."""
    monkeypatch.setattr(background, "LOOK", 0.05)
    path = tmp_path / "memory.db"
    with Memory.open(path, reflect="background") as reader, Memory.open(path) as writer:
        assert reader.settled()
        talk = writer.conversation(user="ana", id="trip")
        said(talk, "I live in Oslo.")
        deadline = time.monotonic() + 10
        while statuses(talk) == ["pending"] and time.monotonic() < deadline:
            time.sleep(0.02)
        assert ["done"] == statuses(talk)


def test_a_program_that_never_closes_its_memory_still_ends(tmp_path: Path) -> None:
    """The thread is no daemon, and sees that the main thread is gone."""
    code = (
        "import sys; from palimpsest import Memory\n"
        "memory = Memory.open(sys.argv[1], reflect='background')\n"
        "memory.conversation(user='ana', id='trip').observe(user='I live in Oslo.', assistant='Ok')\n"
    )
    path = tmp_path / "memory.db"
    ended = subprocess.run([sys.executable, "-c", code, str(path)], check=False, timeout=60)
    assert 0 == ended.returncode
    with Memory.open(path) as memory:
        assert 1 == len(memory.conversation(user="ana", id="trip").turns())


def test_the_tokens_of_a_day_hold_the_background_too() -> None:
    """A turn that may not be read yet waits, and the thread does not spin on it."""
    asked: list[int] = []

    class Costly(Proposing):
        def most_tokens(self, config: Config) -> int:
            asked.append(1)
            return 10

    config = Config(reflection=ReflectionSettings(day_tokens=5))
    with Memory.open(":memory:", config=config, reflect="background", extractor=Costly()) as memory:
        talk = memory.conversation(user="ana", id="trip")
        said(talk, "I live in Oslo.")
        assert memory.settled()
        time.sleep(0.2)
        assert ["pending"] == statuses(talk)
        assert len(asked) <= 3


def test_what_cannot_work_is_said_before_the_database_is_open(tmp_path: Path) -> None:
    """A name that is not there, a word that is none, an extractor that nobody would call."""
    path = tmp_path / "memory.db"
    with pytest.raises(SpecError, match="did you mean 'rules'"):
        Memory.open(path, reflect="background", extractor="ruless")
    with pytest.raises(InputError, match="by hand, background"):
        Memory.open(path, reflect="sometimes")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="reflect='background'"):
        Memory.open(path, extractor="rules")


def _process(path: Path, how: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.support.reading_process", str(path), how], cwd=ROOT
    )


def test_a_row_that_cannot_be_read_holds_up_nobody_else(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The thread goes on to the turns of others, and logs the kind of the error without a text."""
    with Memory.open(tmp_path / "m.db") as memory:
        broken = memory.conversation(user="a", id="c")
        broken.observe(user="My code is Kestrel-90417-Quay.", assistant="Ok.")
        with broken._store.transaction():
            broken._store._db.write("UPDATE turns SET messages = 'Kestrel-90417-Quay'")
        memory.conversation(user="b", id="c").observe(user="I like tea.", assistant="Ok.")
    with Memory.open(tmp_path / "m.db", reflect="background") as memory:
        other = memory.conversation(user="b", id="c")
        until = time.monotonic() + 60
        while not other.current() and time.monotonic() < until:
            time.sleep(0.01)

        assert ["I like tea."] == [row.text for row in other.current()]
    assert "a turn that waits cannot be read" in caplog.text
    assert "Kestrel" not in caplog.text
