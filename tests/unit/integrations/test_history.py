"""A framework's history becomes a request: what all adapters share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from palimpsest import Budget, Memory
from palimpsest.errors import InputError, PalimpsestError
from palimpsest.integrations.history import History, newest
from tests.support.suites import Words

BUDGET = Budget(window=200, answer=20)
CALL = {
    "role": "assistant", "content": None,
    "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
}  # fmt: skip


@pytest.fixture
def history() -> Iterator[History]:
    with Memory.open(":memory:", tokenizer=Words()) as memory:
        yield History(memory=memory, budget=BUDGET)


def user(words: Any) -> dict[str, Any]:
    return {"role": "user", "content": words}


def test_a_run_that_ended_at_a_tool_is_answered_by_it(history: History) -> None:
    """Nothing waits for ever: the result that the user saw is the answer, and is stored once."""
    talk = history.conversation("u", "c")
    held = [user("Go"), CALL, {"role": "tool", "tool_call_id": "c1", "content": "Gone."}]
    assert 0 == history.observe(held, talk).last_turn()
    for question in ("Next?", "Next?"):
        request = history.request([*held, user(question)], talk)
        assert ["Go", None, "Gone.", "Gone.", question] == [m["content"] for m in request.messages]
    assert [False] == [turn.open for turn in talk.turns()]


def test_what_the_framework_adds_is_kept_free(history: History) -> None:
    """The request is smaller by it, or refused."""
    talk = history.conversation("u", "c")
    for number in range(9):
        talk.observe(user=f"question {number}", assistant="word " * 12)
    whole, spared = (history.request([user("And?")], talk, spare=spare) for spare in (0, 60))
    assert whole.tokens - 60 <= spared.tokens <= spared.budget.input == whole.budget.input - 60


def test_instructions_come_before_the_system_messages(history: History) -> None:
    """One system message of all of them; parts stay parts."""
    talk = history.conversation("u", "c")
    told = History(memory=history.memory, budget=BUDGET, instructions="Be brief.")
    system = {"role": "system", "content": "Be kind."}
    marked = {"type": "text", "text": "Be true.", "cache_control": {"type": "ephemeral"}}
    held = [system, user("Hi")]
    assert "Be brief.\n\nBe kind." == told.request(held, talk).messages[0]["content"]
    assert "Be kind." == history.request(held, talk).messages[0]["content"]
    assert ["user"] == [m["role"] for m in history.request([user("Hi")], talk).messages]
    parts = told.request([{"role": "system", "content": [marked]}, user("Hi")], talk).messages[0]
    blank = {"type": "text", "text": "\n\n"}
    assert [{"type": "text", "text": "Be brief."}, blank, marked] == parts["content"]
    with pytest.raises(InputError, match=r"system message inside a conversation"):
        history.observe(
            [user("Hi"), {"role": "assistant", "content": "Hi"}, system, user("x")], talk
        )


def test_a_named_question_is_stored_to_keep_its_name(history: History) -> None:
    """What is more than its content goes into the turn, and is sent from there."""
    talk = history.conversation("u", "c")
    request = history.request([{**user("Hi"), "name": "ana"}], talk)
    assert [{"role": "user", "content": "Hi", "name": "ana"}] == request.messages
    history.observe([{**user("Hi"), "name": "ana"}, {"role": "assistant", "content": "Ho"}], talk)
    assert [2] == [len(turn.messages) for turn in talk.turns()]


def test_a_slip_is_told_before_the_first_run(history: History) -> None:
    """A strategy, a budget or a tool that no request could be built with is refused at once."""
    for slip, error in (
        ({"strategy": "manged"}, "did you mean 'managed'"), ({"budget": 100}, "is not a Budget"),
        ({"tools": [{"type": "function"}]}, "a tool schema needs a name"),
    ):  # fmt: skip
        with pytest.raises(PalimpsestError, match=error):
            History(**{"memory": history.memory, "budget": BUDGET, **slip})


def test_nobody_is_anybody(history: History) -> None:
    """A history belongs to one user and one conversation, both named."""
    for names in (("", "c"), (" ", "c"), (None, "c"), (7, "c"), ("u", ""), ("u", None)):
        with pytest.raises(InputError, match="names nobody"):
            history.conversation(*names)


def test_the_newest_turns_are_whole() -> None:
    """System messages, and turns from the user's words on."""
    said = [
        {"role": "system", "content": "s"}, user("1"), {"role": "assistant", "content": "a"},
        user("2"), CALL, {"role": "tool", "tool_call_id": "c1", "content": "r"},
        {"role": "assistant", "content": "b"}, user("3"), user("3 more"),
    ]  # fmt: skip
    assert [said[0], *said[3:]] == newest(said, answered=1)
    assert said == newest(said)
    assert [said[0], *said[7:]] == newest(said, answered=0)
