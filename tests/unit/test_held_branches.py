"""The branch that a framework's history goes on in, where it parts from its conversation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palimpsest import Budget, Memory
from palimpsest.conversation import Conversation
from palimpsest.errors import InputError
from palimpsest.integrations.history import History
from tests.support.suites import Words

SECRET = "X1234567"
Chat = list[dict[str, Any]]


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory.open(":memory:", tokenizer=Words()) as memory:
        yield memory


def history(memory: Memory) -> History:
    return History(memory=memory, budget=Budget(window=4096, answer=64), branches=True)


def turn(user: str, assistant: str) -> Chat:
    return [{"role": "user", "content": user}, {"role": "assistant", "content": assistant}]


def said(talk: Conversation) -> Chat:
    return [
        {"role": message.role, "content": message.content}
        for each in talk.turns()
        for message in each.messages
    ]


def test_an_older_state_begins_a_branch_and_its_own_later_states_go_on_there(
    memory: Memory,
) -> None:
    """Also where the framework has cut what it holds, and where the model failed in between."""
    held, talk = history(memory), memory.conversation(user="u", id="c")
    chat = [*turn("one", "1"), *turn("two", "2"), *turn("three", "3"), *turn("four", "4")]
    held.observe(chat, talk)
    fork = chat[2:4]
    for _ in range(2):
        held.request([*fork, {"role": "user", "content": "other"}], talk)
    branch = held.observe([*fork, *turn("other", "o")], talk)
    assert branch.scope != talk.scope
    assert branch.scope == held.observe([*fork, *turn("other", "o"), *turn("on", "n")], talk).scope
    assert [*chat[:4], *turn("other", "o"), *turn("on", "n")] == said(branch)
    assert chat == said(talk)
    assert 2 == len(memory.conversations("u"))
    held.observe([*chat, *turn("five", "5")], talk)
    assert 5 == talk.last_turn()


def test_an_edited_history_brings_nothing_forgotten_into_its_branch(memory: Memory) -> None:
    """Only what the user says now may say it again."""
    held, talk = history(memory), memory.conversation(user="u", id="c")
    talk.remember(f"My passport is {SECRET}.")
    held.observe([*turn("one", "1"), *turn(f"It is {SECRET}.", "Noted.")], talk)
    talk.forget(value=SECRET)
    edited = [*turn("one", "1"), *turn(f"So: {SECRET}.", f"{SECRET} it is.")]
    branch = held.observe([*edited, *turn("Well?", "Yes.")], talk)
    assert (3, False) == (branch.last_turn(), SECRET in str(branch.turns()))
    request = held.request([*edited, {"role": "user", "content": "And?"}], talk)
    assert SECRET not in str(request.messages)
    assert memory.audit(SECRET).clean
    again = held.observe([*edited, *turn("Well?", "Yes."), *turn(f"{SECRET}, I say.", "Ok.")], talk)
    assert again.scope == branch.scope
    assert SECRET in str(again.turns()[-1])


def test_a_history_that_shares_no_turn_is_refused(memory: Memory) -> None:
    """It may be another conversation's; nothing is stored and no branch begins."""
    held, talk = history(memory), memory.conversation(user="u", id="c")
    held.observe([*turn("one", "1"), *turn("two", "2")], talk)
    with pytest.raises(InputError, match="do not lead up to turn 2"):
        held.observe([*turn("a", "b"), *turn("c", "d")], talk)
    assert (2, ("c",)) == (talk.last_turn(), tuple(memory.conversations("u")))


def test_a_branch_is_looked_for_among_the_users_own(memory: Memory) -> None:
    """The same words of another user are no fork and no end."""
    held = history(memory)
    chat = [*turn("one", "1"), *turn("two", "2")]
    for user in ("u", "v"):
        held.observe(chat, memory.conversation(user=user, id="c"))
    branch = held.observe([*chat[:2], *turn("x", "y")], memory.conversation(user="u", id="c"))
    assert "u" == branch.scope.user
    assert ["c"] == list(memory.conversations("v"))


@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_time_travel_keeps_every_line_of_a_conversation(data: st.DataObject) -> None:
    """Forks of forks from any state: each state that was shown stands in one conversation."""
    with Memory.open(":memory:", tokenizer=Words()) as memory:
        held, talk = history(memory), memory.conversation(user="u", id="c")
        states: list[Chat] = [[]]
        for number in range(data.draw(st.integers(2, 7))):
            earlier = data.draw(st.sampled_from(states[1:] or states))
            if data.draw(st.booleans()):
                earlier = states[-1]
            state = [*earlier, *turn(f"q{number}", f"a{number}")]
            held.request(state[:-1], talk)
            assert state == said(held.observe(state, talk))
            states.append(state)
        stored = [
            said(memory.conversation(user="u", id=name)) for name in memory.conversations("u")
        ]
        assert all(any(state == line[: len(state)] for line in stored) for state in states)
