"""observe_held: what a framework holds of a conversation is stored once, whatever it cut away."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palimpsest import Memory
from palimpsest.conversation import Conversation
from palimpsest.errors import InputError
from tests.support.suites import Words

Chat = list[dict[str, Any]]


@pytest.fixture
def talk() -> Iterator[Conversation]:
    with Memory.open(":memory:", tokenizer=Words()) as memory:
        yield memory.conversation(user="u", id="c")


def exchange(user: str, assistant: str = "Noted.") -> Chat:
    return [{"role": "user", "content": user}, {"role": "assistant", "content": assistant}]


def texts(talk: Conversation) -> list[str | None]:
    return [message.content for turn in talk.turns() for message in turn.messages]


def said(chat: Chat) -> list[str | None]:
    return [message["content"] for message in chat]


def test_a_whole_history_is_stored_once(talk: Conversation) -> None:
    """A framework that hands over everything at each call adds what is new."""
    chat: Chat = []
    for number in range(6):
        chat += exchange(f"Question {number}", f"Answer {number}")
        assert 1 == len(talk.observe_held(chat))
        assert () == talk.observe_held(chat)
    assert said(chat) == texts(talk)


def test_what_was_observed_waits_to_be_read(talk: Conversation) -> None:
    """It is observed, not only appended."""
    talk.observe_held(exchange("I live in Oslo."))
    talk.reflect()
    assert ["I live in Oslo."] == [memory.text for memory in talk.current()]


def test_the_same_words_again_are_said_again(talk: Conversation) -> None:
    """A short exchange that repeats an earlier one is a new turn, in a cut history too."""
    chat = exchange("yes", "ok") * 3
    for end in (2, 4, 6):
        talk.observe_held(chat[:end])
    assert 3 == talk.last_turn()
    talk.observe_held([*chat[4:], *exchange("yes", "ok")], fresh=True)
    assert 4 == talk.last_turn()


def test_what_was_redacted_is_never_taken_for_fresh(talk: Conversation) -> None:
    """Where the words of a forgotten exchange come twice, they are what was stored twice."""
    chat = exchange("P1234567", "P1234567") * 2
    for end in (2, 4):
        talk.observe_held(chat[:end], fresh=True)
    talk.forget(value="P1234567")
    talk.observe_held(chat, fresh=True)
    assert (2, [0]) == (talk.last_turn(), [each.lifted for each in talk.deletions()])


@settings(max_examples=60)
@given(data=st.data())
def test_any_cut_history_is_recognised(data: st.DataObject) -> None:
    """A history without its beginning or its middle is stored once, for any words."""
    words = st.sampled_from(["yes", "no", "and then", "Oslo"])
    with Memory.open(":memory:", tokenizer=Words()) as memory:
        talk, chat, held = memory.conversation(user="u", id="c"), [], []
        for _ in range(data.draw(st.integers(1, 7))):
            new = exchange(data.draw(words), data.draw(words))
            chat, held = [*chat, *new], [*held, *new]
            talk.observe_held(held, fresh=True)
            assert said(chat) == texts(talk)
            # Whole turns go, but never the newest: it shows where the rest ends.
            kept = [data.draw(st.booleans()) for _ in range(len(held) // 2 - 1)]
            held = [
                m for i, keep in enumerate([*kept, True]) if keep for m in held[2 * i : 2 * i + 2]
            ]


def test_a_question_that_was_dropped_may_stay_away(talk: Conversation) -> None:
    """Where the model failed and the framework dropped the question, the talk goes on."""
    chat = exchange("Is the kiln free?", "From noon.")
    talk.observe_held(chat)
    talk.append(user="And the wheel?")
    chat = [*chat, *exchange("What is left?", "Glaze.")]
    talk.observe_held(chat)
    chat = [*chat, *exchange("How much?", "Two pots.")]
    assert [3] == [turn.number for turn in talk.observe_held(chat)]
    assert ["And the wheel?", "What is left?", "Glaze."] == texts(talk)[2:5]


def call(arguments: str) -> dict[str, Any]:
    made = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": arguments}}
    return {"role": "assistant", "content": None, "tool_calls": [made]}


def test_arguments_are_recognised_in_any_spelling(talk: Conversation) -> None:
    """Frameworks keep arguments as data and write them anew."""
    result = {"role": "tool", "tool_call_id": "c1", "content": "7"}
    spelled, respelled = json.dumps({"a": 1, "b": "é"}), '{"a":1,"b":"é"}'
    talk.append(messages=[{"role": "user", "content": "Go"}, call(spelled), result])
    rest = [{"role": "assistant", "content": "Seven."}]
    talk.observe_held([{"role": "user", "content": "Go"}, call(respelled), result, *rest])
    assert ["Go", None, "7", "Seven."] == texts(talk)


def test_a_turn_that_waits_goes_on_when_it_is_answered(talk: Conversation) -> None:
    """What was stored of it while its tools worked is not stored again."""
    chat = exchange("Hello", "Hi")
    talk.observe_held(chat, fresh=True)
    result = {"role": "tool", "tool_call_id": "c1", "content": "7"}
    chat = [*chat, {"role": "user", "content": "Go"}, call("{}"), result]
    talk.observe_held(chat)
    talk.observe_held([*chat, {"role": "assistant", "content": "Seven."}], fresh=True)
    assert ["Hello", "Hi", "Go", None, "7", "Seven."] == texts(talk)


def test_a_late_result_keeps_its_turn(talk: Conversation) -> None:
    """A whole history is recognised by place where a late result stands in an earlier turn."""
    late = {"role": "tool", "tool_call_id": "c1", "content": "done"}
    chat = [
        {"role": "user", "content": "Go"}, call("{}"), {**late, "content": "wait"},
        {"role": "assistant", "content": "It runs."}, *exchange("Meanwhile?", "Nothing."), late,
        {"role": "assistant", "content": "It is done."},
    ]  # fmt: skip
    for end in (4, 6, 8):
        talk.observe_held(chat[:end])
    assert () == talk.observe_held(chat)
    talk.observe_held([*chat, *exchange("Thanks")])
    assert [6, 2, 2] == [len(turn.messages) for turn in talk.turns()]


def test_an_edited_history_is_refused_and_nothing_is_stored(talk: Conversation) -> None:
    """A branch is another conversation; the error says so."""
    chat = [*exchange("one", "1"), *exchange("two", "2")]
    talk.observe_held(chat)
    for branch in (
        [*chat[:2], *exchange("three", "3")],
        [*exchange("zero", "0"), *exchange("three", "3")],
        [*chat[:2], {"role": "user", "content": "two, but louder"}],
    ):
        with pytest.raises(InputError, match="do not lead up to turn 2.*conversation of its own"):
            talk.observe_held(branch)
    assert said(chat) == texts(talk)


def test_a_forgotten_value_does_not_come_back(talk: Conversation) -> None:
    """What a framework still has of it is recognised, whole or cut, and is not said again."""
    secret = exchange("My passport is P1234567.", "Noted: P1234567.")
    chat = [*exchange("Hello", "Hi"), *secret, *exchange("Where is the wheel?", "Upstairs.")]
    talk.observe_held(chat)
    talk.forget(value="P1234567")
    talk.observe_held(chat)
    talk.observe_held([*chat[2:], *exchange("And the kiln?", "Downstairs.")])
    talk.observe_held(
        [*secret, *chat[4:], *exchange("And the kiln?", "Downstairs."), *exchange("Bye")]
    )
    assert 5 == talk.last_turn()
    assert [0] == [deletion.lifted for deletion in talk.deletions()]
    assert "P1234567" not in str(talk.turns())


def test_a_forgotten_newest_turn_is_still_the_end(talk: Conversation) -> None:
    """Where all of the newest turn was forgotten, the framework's copy of it is that turn."""
    chat = [*exchange("Hello", "Hi"), *exchange("P1234567", "P1234567")]
    talk.observe_held(chat)
    talk.forget(value="P1234567")
    talk.observe_held([*chat, *exchange("Bye", "Bye")])
    assert (3, "Bye") == (talk.last_turn(), talk.turns()[-1].user)
    assert "P1234567" not in str(talk.turns())


def test_an_old_exchange_by_itself_is_not_said_again(talk: Conversation) -> None:
    """A framework that went back to an earlier state brings nothing forgotten with it."""
    arguments = json.dumps({"number": "P1234567"})
    result = {"role": "tool", "tool_call_id": "c1", "content": "P1234567 is valid"}
    asked = [{"role": "user", "content": "Check P1234567."}, call(arguments), result]
    secret = exchange("My passport is P1234567.", "Noted: P1234567.")
    talk.observe_held([*secret, *asked, {"role": "assistant", "content": "It is valid."}])
    talk.observe_held(exchange("Hello", "Hi"), fresh=True)
    talk.forget(value="P1234567")
    for earlier in (secret, asked, [*secret, *asked]):
        with pytest.raises(InputError, match="do not lead up to turn 3"):
            talk.observe_held(earlier)
        assert () == talk.observe_held(earlier, follows=True)
    assert "P1234567" not in str(talk.turns())
    assert [0] == [deletion.lifted for deletion in talk.deletions()]


def test_what_follows_is_stored_once(talk: Conversation) -> None:
    """A framework that lets its messages go in their order may hand over runs that do not touch."""
    chat = [m for number in range(6) for m in exchange(f"u{number}", f"a{number}")]
    for start, end in ((0, 4), (0, 4), (4, 8), (2, 8), (6, 12)):
        talk.observe_held(chat[start:end], follows=True)
    assert said(chat) == texts(talk)


def test_an_answer_of_just_now_is_new_behind_words_that_a_forget_changed(
    talk: Conversation,
) -> None:
    """An exchange that was said before is said again, though what precedes it has a gap."""
    first = exchange("I live in Oslo. My code is 7B31K.")
    talk.observe_held(first)
    talk.observe_held(exchange("Where do I live?"))
    talk.observe_held([*exchange("Where do I live?"), *first], fresh=True)
    talk.forget(value="7B31K")
    assert 1 == len(talk.observe_held([*first, *exchange("Where do I live?")], fresh=True))
    assert 4 == talk.last_turn()
    assert () == talk.observe_held([*first, *exchange("Where do I live?")])
    assert "7B31K" not in str(talk.turns())


def test_a_run_that_repeats_calls_word_for_word_is_a_new_turn(talk: Conversation) -> None:
    """Some servers number the calls of each run from one; a forgotten result stays away."""
    calls = [{"id": "0", "type": "function", "function": {"name": "f", "arguments": "{}"}}]
    run: Chat = [
        {"role": "user", "content": "The code?"},
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": "0", "content": "It is 7B31K."},
    ]
    answer = {"role": "assistant", "content": "Done."}
    for number in (1, 2):
        for _ in range(2):
            talk.observe_held(run)
        talk.observe_held([*run, answer], fresh=True)
        assert [4] * number == [len(turn.messages) for turn in talk.turns()]
    talk.forget(value="7B31K")
    with pytest.raises(InputError):
        talk.observe_held(run)
    assert "7B31K" not in str(talk.turns())
