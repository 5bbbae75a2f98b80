"""Taking back the newest messages: as if they had never been said, and never a forget."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from palimpsest import Budget, Memory
from palimpsest.conversation import Conversation
from palimpsest.errors import InputError
from palimpsest.types import Message
from tests.support.suites import Words

ROOM = Budget(window=4_000, answer=0)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "m.db", tokenizer=Words()) as opened:
        yield opened


@pytest.fixture
def talk(memory: Memory) -> Conversation:
    return memory.conversation(user="ana", id="trip")


def texts(talk: Conversation) -> list[list[str | None]]:
    return [[m.content for m in turn.messages] for turn in talk.turns()]


def test_the_newest_go_first_and_an_empty_turn_goes(talk: Conversation) -> None:
    """Message by message over the borders of turns; none is left and none is given."""
    talk.append(user="One.", assistant="Two.")
    talk.append(user="Three.")
    assert ["Three.", "Two."] == [m.content for m in talk.take_back(2)]
    assert [["One."]] == texts(talk)
    assert ["One."] == [m.content for m in talk.take_back(None)]
    assert ((), ()) == (talk.take_back(), talk.turns())
    assert () == talk.take_back(0)
    for wrong in (-1, True, 1.5):
        with pytest.raises(InputError, match="messages"):
            talk.take_back(wrong)  # type: ignore[arg-type]


def test_a_number_is_not_given_again(talk: Conversation) -> None:
    """What a ledger said of a turn is not said of another one."""
    talk.append(user="One.", assistant="Two.")
    talk.append(user="Three.", assistant="Four.")
    request = talk.request("Five?", budget=ROOM)
    talk.take_back(2)
    (again,) = talk.append(user="Six.", assistant="Seven.")
    assert 3 == again.number
    assert request.ledger == talk.ledger(request.id)
    assert [1, 3] == [turn.number for turn in talk.turns()]
    after = talk.request("Eight?", budget=ROOM)
    assert ["One.", "Two.", "Six.", "Seven.", "Eight?"] == [m["content"] for m in after.messages]


def test_an_answer_that_is_taken_back_can_be_given_again(talk: Conversation) -> None:
    """The turn waits again, as it did before."""
    talk.append(user="One.", assistant="Two.")
    talk.take_back()
    assert talk.turns()[0].open
    talk.append(assistant="Better.")
    assert [["One.", "Better."]] == texts(talk)


def test_what_was_read_of_the_words_is_undone_with_them(talk: Conversation) -> None:
    """An added memory goes, a replaced one is current again, with its marks in the transcript."""
    talk.observe(user="I live in Lyon.", assistant="Nice.")
    talk.reflect(extractor="rules")
    before = (talk.turns(), talk.current(), talk.request("?", budget=ROOM, record=False).messages)
    talk.observe(user="I moved, I live in Oslo now. My dog is called Rex.", assistant="Oh.")
    talk.reflect(extractor="rules")
    assert {"Lyon"} != {memory.value for memory in talk.current()}
    talk.take_back(2)
    after = (talk.turns(), talk.current(), talk.request("?", budget=ROOM, record=False).messages)
    assert before == after
    assert [1] == [reading.turn for reading in talk.reflections()]
    assert () == talk.reflect(extractor="rules")


def test_what_waited_to_be_read_waits_no_more(talk: Conversation) -> None:
    """Words that joined a turn and were taken back are read when they are said again."""
    talk.observe(user="I live in Lyon.")
    talk.take_back()
    assert () == talk.reflect(extractor="rules")
    talk.observe(user="I live in Oslo.")
    talk.reflect(extractor="rules")
    assert ["I live in Oslo."] == [memory.text for memory in talk.current()]


def test_a_forget_and_what_was_remembered_by_hand_stay(talk: Conversation) -> None:
    """Nothing that was forgotten comes back with the words that asked for it."""
    talk.observe(user="My code is 90417-QX.", assistant="Noted.")
    talk.reflect(extractor="rules")
    talk.remember("I like tea.")
    talk.observe(user="Please forget my code.", assistant="Done.")
    talk.reflect(extractor="rules")
    assert 1 == len(talk.deletions())
    talk.take_back(None)
    assert (["I like tea."], 1) == ([m.text for m in talk.current()], len(talk.deletions()))
    assert talk.forgotten("90417-QX")


def test_something_may_be_left_of_a_message(talk: Conversation) -> None:
    """What ``leaves`` gives stands in its place."""
    talk.append(user="One. Two.")
    (gone,) = talk.take_back(leaves=lambda m: Message(role=m.role, content="One."))
    assert ("One. Two.", [["One."]]) == (gone.content, texts(talk))


def test_it_moves_and_is_restored_as_it_is(
    memory: Memory, talk: Conversation, tmp_path: Path
) -> None:
    """Export and import keep the gap; another user's turns are untouched."""
    other = memory.conversation(user="bo", id="trip")
    other.append(user="Mine.")
    for text in ("One.", "Two."):
        talk.observe(user=text, assistant="Yes.")
    talk.take_back(2)
    talk.observe(user="Three.", assistant="Yes.")
    memory.export(tmp_path / "all.jsonl")
    with Memory.open(tmp_path / "other.db") as moved:
        moved.import_file(tmp_path / "all.jsonl")
        found = moved.conversation(user="ana", id="trip")
        assert (talk.turns(), talk.reflections()) == (found.turns(), found.reflections())
    assert [["Mine."]] == texts(other)
