"""resume: a history that is handed over whole is taken over once, and brings nothing back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palimpsest import Budget, Memory
from palimpsest.conversation import Conversation
from palimpsest.errors import InputError
from palimpsest.protocols import Tokenizer
from tests.support.histories import Step, histories, played
from tests.support.suites import Words

SAID = [
    {"role": "user", "content": "Is the kiln free?"},
    {"role": "assistant", "content": "From noon."},
    {"role": "user", "content": "And the wheel?"},
    {"role": "assistant", "content": "All day."},
]
CALL = {
    "role": "assistant", "content": None,
    "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": ""}}],
}  # fmt: skip


@pytest.fixture
def talk() -> Iterator[Conversation]:
    with Memory.open(":memory:", tokenizer=Words()) as memory:
        yield memory.conversation(user="u", id="c")


def result(text: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": "c1", "content": text}


def test_a_first_resume_stores_all_and_a_second_nothing(talk: Conversation) -> None:
    """Resume is idempotent."""
    assert [1, 2] == [turn.number for turn in talk.resume(SAID)]
    before = talk.turns()
    assert () == talk.resume(SAID)
    assert before == talk.turns()


def test_only_what_is_new_is_stored(talk: Conversation) -> None:
    """Whatever was appended, the rest of the client's history follows it."""
    talk.append(messages=SAID[:3])
    assert [2] == [turn.number for turn in talk.resume(SAID)]
    (third,) = talk.resume([*SAID, {"role": "user", "content": "Thanks."}])
    assert (3, "Thanks.") == (third.number, third.user)


def test_an_older_copy_of_the_history_changes_nothing(talk: Conversation) -> None:
    """A client that is behind loses nothing and adds nothing."""
    talk.append(messages=SAID)
    assert () == talk.resume(SAID[:2])
    assert 2 == len(talk.turns())


def test_two_equal_messages_in_two_places_are_two(talk: Conversation) -> None:
    """An honest repetition is kept; only the same place is the same message."""
    again = [*SAID[:2], *SAID[:2]]
    talk.resume(again)
    assert () == talk.resume(again)
    assert 2 == len(talk.turns())


def test_two_equal_messages_with_other_ids_are_two(talk: Conversation) -> None:
    """An id that the client sends belongs to the message."""
    talk.append(messages=[{**SAID[0], "id": "m1"}])
    talk.resume([{**SAID[0], "id": "m1"}, {**SAID[0], "id": "m2"}])
    assert 2 == sum(len(turn.messages) for turn in talk.turns())


def test_a_late_result_is_recognised_where_it_is_stored(talk: Conversation) -> None:
    """The client has it behind later turns, the store in the turn of its call."""
    said = [SAID[0], CALL, result("pending"), *SAID[2:], result("done"), SAID[1]]
    for message in said:
        talk.append(messages=[message])
    before = talk.turns()
    assert [5, 2] == [len(turn.messages) for turn in before]
    assert () == talk.resume(said)
    assert before == talk.turns()


@pytest.mark.parametrize(
    ("history", "told"),
    [
        ([{"role": "user", "content": "Is the kiln hot?"}, *SAID[1:]], r"messages\[0\]: .*turn 1"),
        ([*SAID[:2], {"role": "user", "content": "Why?"}], r"messages\[2\]: .*turn 2"),
        ([SAID[0], SAID[2]], r"messages\[1\]: .*turn 1"),
        ([{"role": "system", "content": "Be kind."}, *SAID], r"messages\[0\]\.role: a system"),
        ("Is the kiln free?", "is not a list of messages"),
    ],
)
def test_a_history_that_differs_is_refused_and_nothing_is_stored(
    talk: Conversation, history: Any, told: str
) -> None:
    """A stored turn is never rewritten, and no second version is put behind it."""
    talk.append(messages=SAID)
    before = talk.turns()
    with pytest.raises(InputError, match=told):
        talk.resume(history)
    assert before == talk.turns()


def test_what_was_forgotten_does_not_come_back(talk: Conversation, tmp_path: Path) -> None:
    """The client still has the words; the store keeps only their place."""
    said = [
        {"role": "user", "content": "My code is 4471-B, keep it."},
        {"role": "assistant", "content": "4471-B, and only 4471-B."},
    ]
    talk.append(messages=said)
    talk.remember("My code is 4471-B", attribute="code", turn=1)
    talk.forget(attribute="code")
    before = talk.turns()

    assert () == talk.resume(said)
    assert before == talk.turns()
    assert "4471-B" not in str(talk.turns())
    with pytest.raises(InputError, match="turn 1"):
        talk.resume([said[0], {"role": "assistant", "content": "Something else."}])


def test_words_that_were_corrected_are_recognised_as_they_were_said(talk: Conversation) -> None:
    """A mark in the transcript changes nothing for the client."""
    said = [{"role": "user", "content": "We meet in room Alder."}, *SAID[1:2]]
    talk.append(messages=said)
    talk.remember("We meet in room Alder.", attribute="room", turn=1)
    talk.append(user="We meet in room Birch.", assistant="Birch.")
    talk.correct("We meet in room Birch.", attribute="room", turn=2)
    assert () == talk.resume(said)
    assert 2 == len(talk.turns())


@settings(deadline=None, max_examples=60)
@given(history=histories(40), cut=st.integers(0, 200))
def test_any_history_resumes_from_any_point(history: list[Step], cut: int) -> None:
    """Whatever part is stored, handing over the whole gives the whole, once."""
    with Memory.open(":memory:", tokenizer=Words()) as memory:
        said = [
            message
            for turn in played(memory, history, tools=True).conversation.turns()
            for message in turn.messages
        ]
        whole, begun = (memory.conversation(user="u", id=name) for name in ("whole", "begun"))
        if said:
            whole.append(messages=said)
        if said[:cut]:
            begun.append(messages=said[:cut])
        begun.resume(said)
        assert whole.turns() == begun.turns()
        assert () == begun.resume(said)


CHANGES = st.lists(
    st.builds(
        Step, kind=st.sampled_from(("remember", "correct", "forget", "quote", "tool")),
        attribute=st.sampled_from(("code", "diet")), words=st.sampled_from(("", "Well.")),
        reply=st.just("Good."),
    ),
    min_size=8, max_size=24,
)  # fmt: skip
"""Histories of two attributes only, so that most of them forget something."""


@settings(deadline=None, max_examples=60)
@given(history=CHANGES)
def test_a_resume_after_forgets_and_corrections_changes_nothing(history: list[Step]) -> None:
    """Every transcript as it was said is recognised in the store that forgot parts of it."""
    with (
        Memory.open(":memory:", tokenizer=Words()) as managed,
        Memory.open(":memory:", tokenizer=Words()) as untouched,
    ):
        talk = played(managed, history, tools=True).conversation
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("palimpsest.write.forgetting.erase", lambda *_, **__: None)
            patch.setattr("palimpsest.write.commands.redact", lambda *_, **__: None)
            kept = played(untouched, history, tools=True).conversation
        transcript = [message for turn in kept.turns() for message in turn.messages]
        before = talk.turns()
        assert () == talk.resume(transcript)
        assert before == talk.turns()


def test_a_question_that_was_appended_is_sent_once(talk: Conversation) -> None:
    """The newest stored message and the question are one where they are equal."""
    talk.append(messages=SAID)
    talk.append(user="Hi there")
    for strategy in ("recent", "notes", "relevant", "hybrid", "append-only", "managed"):
        request = talk.request(
            "Hi there", budget=Budget(window=400, answer=0), strategy=strategy, record=False
        )
        assert 1 == [m.content for m in request.sent].count("Hi there"), strategy
        assert "open" == request.ledger.turn(3).reason
        assert "Hi there" == request.sent[-1].content


def test_a_question_that_was_answered_before_is_asked_again(talk: Conversation) -> None:
    """Only the newest unanswered message is the question itself."""
    talk.append(messages=SAID)
    request = talk.request(
        "And the wheel?", budget=Budget(window=400, answer=0), strategy="recent", record=False
    )
    assert 2 == [m.content for m in request.sent].count("And the wheel?")


def test_the_count_of_a_question_sent_once_is_exact(gemma: Tokenizer) -> None:
    """The request counts as its whole render."""
    with Memory.open(":memory:", tokenizer=gemma) as memory:
        talk = memory.conversation(user="u", id="c")
        talk.append(messages=SAID)
        talk.append(user="Hi there")
        for strategy in ("recent", "notes", "relevant", "hybrid", "append-only", "managed"):
            request = talk.request(
                "Hi there", budget=Budget(window=400, answer=0), strategy=strategy, record=False
            )
            assert gemma.count_request(request.sent, ()) == request.tokens
