"""A forgotten statement without a value is in no request either, whatever the client still has."""

from __future__ import annotations

import json

import pytest

from palimpsest import Memory
from palimpsest.errors import StoreError
from tests.support.history_client import Client, bot, user
from tests.support.upstream import Scripted

WORD = "diabetic"


@pytest.fixture
def client(memory: Memory, base: str, up: Scripted, user: str) -> Client:
    """Three turns of which the first says it and is repeated; then it is forgotten."""
    made = Client(base, up, user)
    made.say("Hello, I like tea. I am diabetic.", "Tea is fine. You are diabetic, noted.")
    made.say("I also like trains.")
    made.say("And rivers.")
    talk = memory.conversation(user=made.name, id=made.conversation)
    talk.forget(id=talk.remember("I am diabetic.", turn=1).id)
    return made


def stored(memory: Memory, client: Client) -> str:
    """The turns and memories of a user, as text."""
    talks = [memory.conversation(user=client.name, id=n) for n in memory.conversations(client.name)]
    return repr([(talk.turns(), talk.visible(), talk.story()) for talk in talks])


def test_the_old_history_goes_on_without_it(memory: Memory, client: Client) -> None:
    """It is recognised with the words in it, and an answer that tells them again is cut."""
    assert WORD not in client.say("And now?", "As you are diabetic, no cake. The train is late.")
    assert WORD not in client.say("And then?")
    assert 1 == len(memory.conversations(client.name))
    assert (False, True) == (
        WORD in stored(memory, client), "The train is late." in stored(memory, client)
    )  # fmt: skip


@pytest.mark.parametrize("place", [0, 2, 4])
def test_an_edit_anywhere_brings_nothing_back(memory: Memory, client: Client, place: int) -> None:
    """The branch takes over what followed the edit, without the statement."""
    edited = client.history[place]["content"].replace("like", "love")
    client.history[place] = user(edited + " Edited.")
    assert WORD not in client.say("Go on.")
    assert WORD not in client.say("And on.")
    assert WORD not in stored(memory, client)


def test_another_chat_with_the_old_words_brings_nothing_back(
    memory: Memory, client: Client, base: str, up: Scripted
) -> None:
    """A copy of the history under a new beginning; what it says of a sister comes in."""
    copy = Client(base, up, client.name)
    copy.history = [user("A new beginning."), bot("Yes?"), *client.history,
                    user("My sister is diabetic."), bot("Poor sister.")]  # fmt: skip
    sent = copy.say("Go on.")
    assert "I am diabetic" not in sent
    assert "You are diabetic" not in sent
    assert "My sister is diabetic." in stored(memory, client)


def test_the_user_may_say_it_again_now(memory: Memory, client: Client) -> None:
    """New words bring it back."""
    assert "I am diabetic after all." in client.say("I am diabetic after all.")
    assert "I am diabetic after all." in stored(memory, client)


def test_where_memory_fails_the_forget_wins(
    memory: Memory, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No earlier turn goes, for somebody had something forgotten."""

    def fail(*args: object, **more: object) -> object:
        raise StoreError("locked")

    monkeypatch.setattr(memory.exchanges, "request", fail)
    assert [user("Still there?")] == json.loads(client.say("Still there?"))["messages"]
