"""The index of current memories belongs to an open store and follows the file."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from palimpsest import Memory
from palimpsest.config import Config
from palimpsest.conversation import Conversation
from palimpsest.proposals import Extraction, Proposal, Quote, Seen
from palimpsest.types import Scope

SCOPE = Scope(user="u", conversation="c")


class Saying:
    """An extractor that proposes the user's message as it stands."""

    name = "saying"
    trusted = False

    def extract(self, seen: Seen, config: Config) -> Extraction:
        """One proposal, the whole text."""
        text = str(seen.turn.messages[0].content)
        quote = Quote(message=0, text=0, start=0, end=len(text))
        return Extraction(proposals=(Proposal(text=text, quote=quote),))


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "memory.db") as memory:
        yield memory


def _say(talk: Conversation, text: str) -> str:
    """What became of a text that is said."""
    talk.observe(user=text, assistant="Noted.")
    (reading,) = talk.reflect(extractor=Saying())
    return reading.verdicts[0].action


@contextmanager
def _taken_back(memory: Memory) -> Iterator[None]:
    """A transaction that fails at its end."""
    with suppress(RuntimeError), memory._store.transaction():
        yield
        raise RuntimeError


def _talk(memory: Memory) -> Conversation:
    return memory.conversation(user="u", id="c")


def _held(memory: Memory) -> list[str]:
    """Every text that any kept index holds."""
    kept = memory._store.kept_indexes.values()
    return [text for held in kept for text in held.index._texts.values()]


def test_a_forgotten_text_leaves_the_index_at_once(memory: Memory) -> None:
    """Right after a forget no index of the store holds the text, nor a row kept in the process."""
    talk = _talk(memory)
    assert ["add", "add"] == [_say(talk, "I keep bees."), _say(talk, "My locker is number 118.")]
    _say(talk, "I like leeks.")
    talk.forget(id=2)
    assert not [text for text in _held(memory) if "118" in text]
    kept = memory._store.memories._current._kept.values()
    assert not [row for one in kept for row in one.rows if "118" in row.text]
    assert "add" == _say(talk, "My locker is number 118.")


def test_a_forget_that_is_taken_back_leaves_the_index_right(memory: Memory) -> None:
    """Where the transaction of a forget fails, the memory is there and is found again."""
    talk = _talk(memory)
    _say(talk, "I keep bees.")
    with _taken_back(memory):
        talk.forget(id=1)
    assert "merge" == _say(talk, "I'm keeping bees.")


def test_a_reading_that_is_taken_back_leaves_no_memory_in_the_index(memory: Memory) -> None:
    """Where a reading is rolled back, what it added is neither a row nor a duplicate later."""
    talk = _talk(memory)
    _say(talk, "I like leeks.")
    with _taken_back(memory):
        assert "add" == _say(talk, "I keep bees.")
    assert ["add", "merge"] == [
        _say(talk, "I play the cello."),
        _say(talk, "I'm playing the cello."),
    ]
    assert "add" == _say(talk, "I keep bees.")


def test_two_open_stores_see_what_the_other_one_did(tmp_path: Path) -> None:
    """What one connection adds, rewrites, supersedes or forgets the other one's dedup knows."""
    path = tmp_path / "memory.db"
    with Memory.open(path) as first, Memory.open(path) as second:
        mine, yours = _talk(first), _talk(second)
        _say(mine, "I keep bees.")
        assert "merge" == _say(yours, "I'm keeping bees.")
        yours.correct("I keep goats.", id=1)
        assert "add" == _say(mine, "I keep bees.")
        assert "merge" == _say(mine, "I am keeping goats.")
        yours.forget(id=2)
        assert "add" == _say(mine, "I keep goats.")


def test_a_rewritten_wording_is_what_later_texts_are_compared_with(memory: Memory) -> None:
    """After a richer wording took a row over, a repetition of it merges into the same row."""
    talk = _talk(memory)
    _say(talk, "My wife teaches pottery in Galway.")
    assert "merge" == _say(talk, "My wife teaches pottery in Galway, in a converted barn.")
    assert "merge" == _say(talk, "My wife teaches pottery in Galway, in a converted barn!")
    assert [(1, 3)] == [(row.id, row.seen) for row in talk.current()]


def test_a_repetition_does_not_refresh_the_date_of_a_memory(memory: Memory) -> None:
    """A fact that is said again keeps the date and the id that ranking uses."""
    talk = _talk(memory)
    _say(talk, "I keep bees.")
    before = talk.current()[0]
    _say(talk, "I am keeping bees.")
    after = talk.current()[0]
    assert (before.id, before.created_at) == (after.id, after.created_at)


def test_adding_reads_no_memory_that_was_read_before(memory: Memory) -> None:
    """One more fact costs as many rows read with 60 memories as with 10."""
    talk = _talk(memory)
    rows: list[int] = []
    read = memory._store._db.rows

    def counted(sql: str, params: object = ()) -> object:
        found = read(sql, params)  # type: ignore[arg-type]
        rows[-1] += len(found)
        return found

    memory._store._db.rows = counted  # type: ignore[assignment, method-assign]
    for at in range(60):
        rows.append(0)
        _say(talk, f"Locker {at} holds the files of the year {1900 + at}.")
    assert rows[10] == rows[59] > 0
    assert 60 == len(talk.current())
