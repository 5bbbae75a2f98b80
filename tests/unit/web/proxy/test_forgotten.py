"""A forgotten value is in no request, whatever the client still has of it (law 11)."""

from __future__ import annotations

import json
from collections.abc import Callable

import httpx
import pytest

from palimpsest import Memory
from palimpsest.errors import StoreError
from tests.support import history_client
from tests.support.history_client import bot, user
from tests.support.proxied import settled
from tests.support.upstream import Scripted, Sent, whole


class Client(history_client.Client):
    """Its user has a secret of their own."""

    @property
    def secret(self) -> str:
        return f"P{4_400_000 + int(self.name.rpartition('-')[2])}"


@pytest.fixture
def client(base: str, up: Scripted, user: str) -> Client:
    """Three turns; the first says a secret, and the answer repeats it."""
    made = Client(base, up, user)
    made.say(f"Hello. My passport number is {made.secret}. I like tea.", f"Kept: {made.secret}.")
    made.say("I also like trains.")
    made.say("And rivers.")
    return made


def forget(memory: Memory, client: Client, name: str | None = None) -> None:
    memory.conversation(user=client.name, id=name or client.conversation).forget(
        value=client.secret
    )


def stored(memory: Memory, client: Client) -> str:
    """Everything of a user, as text."""
    return repr([
        (talk.turns(), talk.visible(), talk.verdicts(), talk.story(), talk.deletions())
        for name in memory.conversations(client.name)
        for talk in [memory.conversation(user=client.name, id=name)]
    ])  # fmt: skip


def test_the_old_history_goes_on_in_its_conversation(memory: Memory, client: Client) -> None:
    """It is recognised with the value in it: not stored again, no branch, not sent."""
    forget(memory, client)
    for number in range(3):
        sent = client.say(f"Question {number}?")
        assert client.secret not in sent
        assert "degraded" not in " ".join(client.answer.headers)  # type: ignore[union-attr]
    assert 1 == len(memory.conversations(client.name))
    assert client.secret not in stored(memory, client)
    talk = memory.conversation(user=client.name, id=client.conversation)
    assert 6 == len(talk.turns())
    assert memory.audit(client.secret).clean


def test_a_restart_recognises_it_too(
    memory: Memory, client: Client, up: Scripted, base: str
) -> None:
    """What was recognised so is not only remembered by the process."""
    forget(memory, client)
    client.say("First.")
    memory.exchanges._recogniser._seen.clear()
    assert client.secret not in client.say("Second.")
    assert 1 == len(memory.conversations(client.name))


def test_the_user_may_say_it_again_now(memory: Memory, client: Client) -> None:
    """New words bring it back; the question that says it is sent as it was said."""
    forget(memory, client)
    sent = client.say(f"My new trip needs it after all: passport {client.secret}.")
    assert client.secret in sent
    assert 1 == sent.count(client.secret)
    assert 1 == len(memory.conversations(client.name))


def test_an_answer_that_repeats_it_is_kept_without_it(memory: Memory, client: Client) -> None:
    """The client has the answer as it was; what the store has is still recognised as it."""
    forget(memory, client)
    client.say("What did I tell you?", f"You told me {client.secret} once.")
    assert client.secret not in client.say("Thanks.")
    assert 1 == len(memory.conversations(client.name))
    assert client.secret not in stored(memory, client)


@pytest.mark.parametrize("place", [0, 2, 4])
def test_an_edit_anywhere_brings_nothing_back(memory: Memory, client: Client, place: int) -> None:
    """The branch takes over what followed the edit, without the forgotten value."""
    forget(memory, client)
    edited = client.history[place]["content"].replace("like", "love")
    client.history[place] = user(edited + " Edited.")
    assert client.secret not in client.say("Go on.")
    assert client.secret not in stored(memory, client)
    assert client.secret not in client.say("And on.")
    assert memory.audit(client.secret).clean


def test_another_chat_with_the_old_words_brings_nothing_back(
    memory: Memory, client: Client, base: str, up: Scripted
) -> None:
    """A copy of the history under a new beginning, or under another name."""
    forget(memory, client)
    copy = Client(base, up, client.name)
    copy.history = [user("A new beginning."), bot("Yes?"), *client.history]
    assert client.secret not in copy.say("Go on.")
    named = Client(base, up, client.name)
    named.history = list(client.history)
    assert client.secret not in named.say("Go on.", **{"X-Palimpsest-Conversation": "other"})
    assert client.secret not in stored(memory, client)


def test_a_forget_reaches_every_branch(memory: Memory, client: Client) -> None:
    """Made before it or after it, asked for in the parent or in the branch."""
    parent = client.conversation
    whole_history = list(client.history)
    client.history = client.history[:4]
    client.say("And lakes.")
    branch = client.conversation
    assert parent != branch
    assert client.secret in repr(memory.conversation(user=client.name, id=branch).turns())
    forget(memory, client, parent)
    assert client.secret not in stored(memory, client)
    assert client.secret not in client.say("More.")
    assert branch == client.conversation
    client.history = whole_history[:4]
    assert client.secret not in client.say("And hills.")
    assert client.conversation not in (parent, branch)
    assert client.secret not in stored(memory, client)


def test_a_forget_in_a_branch_reaches_the_parent_and_its_memories(
    memory: Memory, client: Client
) -> None:
    """Both copies of the memory go, and what else each says stays."""
    parent = memory.conversation(user=client.name, id=client.conversation)
    parent.reflect(extractor="rules")
    client.history = client.history[:4]
    client.say("And lakes.")
    branch = memory.conversation(user=client.name, id=client.conversation)
    both = [[m.text for m in talk.current()] for talk in (parent, branch)]
    assert all(any(client.secret in text for text in texts) for texts in both)
    branch.forget(words="my passport number")
    left = [[m.text for m in talk.current()] for talk in (parent, branch)]
    assert [[t for t in texts if client.secret not in t] for texts in both] == left


def test_older_words_of_the_newest_turn_are_old_words(memory: Memory, client: Client) -> None:
    """A question that failed, then a forget, then the next question: the first one is not now."""
    client.history.append(user(f"Is {client.secret} valid?"))
    client.up.answer = lambda _: Sent(pieces=(b"{}",), status=500, kind="application/json")
    httpx.post(f"{client.base}/chat/completions",
               json={"model": "toy", "messages": client.history, "user": client.name})  # fmt: skip
    forget(memory, client)
    sent = client.say("Hello?", f"Yes, {client.secret} is.")
    assert client.secret not in sent
    assert "Is " in sent
    assert client.secret not in stored(memory, client)
    assert client.secret not in client.say("And now?")
    assert 1 == len(memory.conversations(client.name))


def test_a_tools_result_says_nothing_forgotten(memory: Memory, client: Client) -> None:
    """It is the program's words and not the user's."""
    forget(memory, client)
    call = {"id": "c", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    client.history.append(user("Look it up."))
    client.up.answer = lambda _: whole(None, tool_calls=[call])
    httpx.post(f"{client.base}/chat/completions",
               json={"model": "toy", "messages": client.history, "user": client.name})  # fmt: skip
    settled(client.base)
    client.history.append({"role": "assistant", "content": None, "tool_calls": [call]})
    client.history.append(
        {"role": "tool", "tool_call_id": "c", "content": f"Found {client.secret} and a train."}
    )
    sent = client.ask("There is a train.")
    assert client.secret not in sent
    assert "and a train." in sent
    assert client.secret not in stored(memory, client)


# --- where memory fails -----------------------------------------------------------------


def failing(kind: Exception) -> Callable[..., object]:
    def fail(*args: object, **more: object) -> object:
        raise kind

    return fail


def test_without_a_forget_the_chat_goes_on_with_its_own_messages(
    memory: Memory, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of them, flagged with the code of the error; the turn is kept if it can be."""
    monkeypatch.setattr(memory.exchanges, "request", failing(StoreError("locked")))
    history = [*client.history, user("Still there?")]
    sent = json.loads(client.say("Still there?"))
    assert history == sent["messages"]
    assert client.answer is not None
    assert "store" == client.answer.headers["x-palimpsest-degraded"]
    assert 4 == len(memory.conversation(user=client.name, id=client.conversation).turns())


def test_with_a_forget_the_forget_wins(
    memory: Memory, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No earlier turn goes: the instructions and the newest words do."""
    forget(memory, client)
    monkeypatch.setattr(memory.exchanges, "request", failing(RuntimeError("a bug")))
    client.history.insert(0, {"role": "system", "content": "Be brief."})
    sent = json.loads(client.say("Still there?"))
    assert [{"role": "system", "content": "Be brief."}, user("Still there?")] == sent["messages"]
    assert client.answer is not None
    assert "error" == client.answer.headers["x-palimpsest-degraded"]


@pytest.mark.parametrize("forgotten", [False, True])
def test_a_store_that_cannot_be_asked_lets_the_newest_turn_through_alone(
    memory: Memory, client: Client, monkeypatch: pytest.MonkeyPatch, forgotten: bool
) -> None:
    """Nobody knows then whether something was forgotten."""
    if forgotten:
        forget(memory, client)
    for name in ("open", "forgets"):
        monkeypatch.setattr(memory.exchanges, name, failing(StoreError("locked")))
    sent = json.loads(client.say("Still there?"))
    assert [user("Still there?")] == sent["messages"]


def test_a_newest_turn_with_the_value_in_older_words_is_refused(
    memory: Memory, client: Client, up: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without memory nothing can take it out, so nothing is sent."""
    forget(memory, client)
    monkeypatch.setattr(memory.exchanges, "request", failing(StoreError("locked")))
    call = {"id": "c", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    asked = [user("Look."), {"role": "assistant", "content": None, "tool_calls": [call]},
             {"role": "tool", "tool_call_id": "c", "content": f"It is {client.secret}."}]  # fmt: skip
    before = len(up.asked)
    answer = httpx.post(f"{client.base}/chat/completions",
                        json={"model": "toy", "messages": asked, "user": client.name})  # fmt: skip
    assert (422, "input") == (answer.status_code, answer.json()["error"]["code"])
    assert client.secret not in answer.text
    assert before == len(up.asked)
