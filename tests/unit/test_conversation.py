"""A conversation through its public calls: what is kept, what is refused, what is reported."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from palimpsest import Budget, Config, Memory
from palimpsest.config import TokenizerSettings, load
from palimpsest.conversation import Conversation
from palimpsest.errors import InputError, NotFound, NotPrepared, SpecError
from palimpsest.protocols import Tokenizer

ROOM = Budget(window=2000, answer=100)
CALL = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
}
RESULT = {"role": "tool", "tool_call_id": "c1", "content": "42"}


@pytest.fixture
def memory(tmp_path: Path, chatml: Tokenizer) -> Iterator[Memory]:
    with Memory.open(tmp_path / "memory.db", tokenizer=chatml) as opened:
        yield opened


@pytest.fixture
def chat(memory: Memory) -> Conversation:
    return memory.conversation(user="u", id="c")


def roles(chat: Conversation) -> list[list[str]]:
    return [[message.role for message in turn.messages] for turn in chat.turns()]


def test_a_ledger_is_kept_by_the_id_of_its_request_without_texts(
    memory: Memory, chat: Conversation
) -> None:
    """What was decided can be looked up later; what was said is not in it."""
    chat.append(user="My PIN is 4417.", assistant="Noted.")
    chat.remember("My PIN is 4417.", attribute="pin", turn=1)
    request = chat.request("What is it?", budget=ROOM)

    assert request.ledger == chat.ledger(request.id)
    stored = memory._store.requests.get(chat.scope, request.id)
    assert stored is not None
    assert (request.strategy, request.tokens) == (stored.strategy, stored.tokens)
    assert "4417" not in stored.ledger
    with pytest.raises(NotFound, match=request.id):
        chat.ledger("nothing")


def test_a_request_that_is_not_recorded_leaves_no_trace(chat: Conversation, memory: Memory) -> None:
    """Trying a request out changes nothing."""
    chat.append(user="a", assistant="b")
    before = list(memory._store._db._connection.iterdump())

    assert "" == chat.request("q", budget=ROOM, record=False).id
    assert before == list(memory._store._db._connection.iterdump())


def test_the_shared_prefix_is_that_of_the_previous_request_in_whole_messages(
    chat: Conversation, memory: Memory
) -> None:
    """What a server can surely reuse is reported; after a forget nothing is known to be."""
    count = memory.counter
    for word in ("one", "two"):
        chat.append(user=word, assistant=word)
    first = chat.request("q", budget=ROOM, instructions="s")
    same = chat.request("q", budget=ROOM, instructions="s")
    other = chat.request("another", budget=ROOM, instructions="s")
    fresh = chat.request("q", budget=ROOM, instructions="t")

    assert 0 == first.shared_prefix
    assert first.tokens - count.closing() == same.shared_prefix
    leading = other.sent[:-1]
    assert count.opening(leading[0], ()) + count.unit(leading) == other.shared_prefix
    assert 0 == fresh.shared_prefix
    chat.remember("My PIN is 4417.", attribute="pin")
    chat.forget(attribute="pin")
    assert 0 == chat.request("q", budget=ROOM, instructions="t").shared_prefix


def test_other_tools_share_no_prefix(chat: Conversation) -> None:
    """Templates put the tools first."""
    chat.append(user="a", assistant="b")
    chat.request("q", budget=ROOM, instructions="s", tools=[{"name": "f"}])

    found = chat.request("q", budget=ROOM, instructions="s", tools=[{"name": "g"}])

    assert 0 == found.shared_prefix


def test_messages_join_the_turn_that_they_belong_to(chat: Conversation) -> None:
    """Calls, results and answers come one by one and end in one turn."""
    chat.append(user="Look it up.")
    chat.append(messages=[CALL])
    chat.append(user="And now?", assistant="Still waiting.")
    chat.append(messages=[RESULT])
    chat.append(assistant="It is 42.")

    assert [["user", "assistant", "tool", "assistant"], ["user", "assistant"]] == roles(chat)


def test_an_answer_joins_the_newest_turn_that_waits_for_one(chat: Conversation) -> None:
    """The turn that a request without a question continues is the one that is answered."""
    chat.append(messages=[{"role": "user", "content": "Look it up."}, CALL, RESULT])
    chat.append(user="And now?")
    continued = chat.request(None, budget=ROOM)
    chat.append(assistant="Now is fine.")

    assert "And now?" == continued.sent[-1].content
    assert [["user", "assistant", "tool"], ["user", "assistant"]] == roles(chat)


def test_users_who_write_twice_before_an_answer_make_one_turn(chat: Conversation) -> None:
    """Words that nothing answered stand together."""
    chat.append(user="First.")
    chat.append(user="Second.", assistant="Both heard.")

    assert [["user", "user", "assistant"]] == roles(chat)


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ({"messages": [{"role": "user", "content": 5}]}, r"messages\[0\]\.content: 5 \(int\)"),
        ({"messages": [{"role": "boss", "content": "x"}]}, r"messages\[0\]\.role: 'boss'"),
        ({"messages": ["x"]}, r"messages\[0\]: 'x' \(str\) is not a message"),
        ({"messages": "x"}, r"messages: 'x' \(str\) is not a list"),
        ({"messages": [{"role": "user"}]}, r"messages\[0\]\.content: the user message has neither"),
        ({"messages": [{"role": "system", "content": "x"}]}, r"messages\[0\]\.role: a system"),
        ({"messages": [{"role": "user", "content": "a"}, RESULT]}, r"answers the call 'c1'"),
        ({"messages": [RESULT]}, r"messages\[0\]: answers the tool call 'c1'"),
        ({"messages": [{**RESULT, "tool_call_id": None}]}, r"messages\[0\]\.tool_call_id"),
        ({"user": "half \ud800"}, "user.content: character 5 is half of a surrogate pair"),
        ({"user": "a", "messages": []}, "give either messages= or user="),
        ({}, "nothing was said"),
        ({"user": []}, "user.content: an empty list of parts"),
        ({"user": [{"type": "text", "text": 1}]}, r"user.content\[0\]\.text: 1 \(int\)"),
        ({"user": float("nan")}, r"user.content: nan \(float\)"),
    ],
)
def test_what_cannot_be_stored_is_refused_with_its_path_and_nothing_is_half_done(
    chat: Conversation, given: dict[str, Any], path: str
) -> None:
    """The error says where; the conversation is as it was."""
    chat.append(user="before", assistant="yes")
    before = chat.turns()

    with pytest.raises(InputError, match=path):
        chat.append(**given)

    assert before == chat.turns()


def test_a_fault_in_the_middle_of_a_list_stores_none_of_it(chat: Conversation) -> None:
    """One call is one transaction."""
    with pytest.raises(InputError):
        chat.append(
            messages=[{"role": "user", "content": "a"}, CALL, {**RESULT, "tool_call_id": "x"}]
        )

    assert () == chat.turns()


@pytest.mark.parametrize(
    ("changed", "error", "text"),
    [
        ({"strategy": "magic"}, SpecError, "no strategy is named 'magic'"),
        ({"strategy": "managd"}, SpecError, "did you mean 'managed'"),
        ({"strategy": "managed(quota=-1)"}, SpecError, "quota=-1"),
        ({"strategy": "managed(quota=1.5)"}, SpecError, "quota=1.5"),
        ({"strategy": "managed(kwota=1)"}, SpecError, "its parameters: quota, order"),
        ({"strategy": "managed("}, SpecError, "is not a parameter list"),
        ({"strategy": 7}, InputError, "neither a Spec text nor a Strategy"),
        ({"budget": 512}, InputError, "512 is not a Budget"),
        ({"tools": [{"type": "function"}]}, InputError, r"tools\[0\]\.name"),
        ({"tools": "f"}, InputError, "tools: 'f'"),
        ({"instructions": 5}, InputError, r"instructions.content: 5"),
    ],
)
def test_a_request_that_makes_no_sense_says_which_argument(
    chat: Conversation, changed: dict[str, Any], error: type[Exception], text: str
) -> None:
    """Every argument has its own error, with what would be right."""
    with pytest.raises(error, match=text):
        chat.request("q", **{"budget": ROOM, **changed})


@pytest.mark.parametrize(
    "given",
    [
        {"window": 10, "answer": 10},
        {"window": 10, "answer": 5, "margin": 5},
        {"window": True, "answer": 0},
        {"window": 10, "answer": -1},
        {"window": 10.5, "answer": 0},
        {"window": 0, "answer": 0},
    ],
)
def test_a_budget_without_input_space_or_with_odd_numbers_is_refused(given: dict[str, Any]) -> None:
    """The error names the number and its limit."""
    with pytest.raises(InputError, match="budget"):
        Budget(**given)


def test_a_tokenizer_that_is_not_prepared_is_named_with_the_command_to_run(
    empty_cache: Path, tmp_path: Path
) -> None:
    """Remembering needs no tokenizer; the first request does, and says how to get it."""
    with Memory.open(tmp_path / "m.db") as memory:
        chat = memory.conversation(user="u", id="c")
        chat.append(user="a", assistant="b")
        with pytest.raises(NotPrepared, match="palimpsest tokenizer prepare gemma-4-e2b"):
            chat.request("q", budget=ROOM)
        assert 1 == len(chat.turns())


def test_a_setting_names_the_tokenizer(tmp_path: Path) -> None:
    """The name of the settings is what counts."""
    config = Config(tokenizer=TokenizerSettings(name="estimate"))
    with Memory.open(tmp_path / "m.db", config=config) as memory:
        assert memory.conversation(user="u", id="c").request("q", budget=ROOM).estimated


def test_threads_may_share_a_memory(memory: Memory) -> None:
    """Nothing is lost and every request is whole while several threads write and build."""
    faults: list[Exception] = []

    def work(name: str) -> None:
        try:
            talk = memory.conversation(user=name, id="c")
            for number in range(25):
                talk.append(user=f"{name} {number}", assistant="ok")
                talk.remember(f"{name} says {number}", attribute=f"a{number % 3}")
                talk.consolidate()
                talk.request("q", budget=ROOM)
        except Exception as error:  # noqa: BLE001  (a thread must report, not die silently)
            faults.append(error)

    threads = [threading.Thread(target=work, args=(f"user-{i}",)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [] == faults
    for i in range(4):
        talk = memory.conversation(user=f"user-{i}", id="c")
        assert 25 == len(talk.turns())
        assert {"a0", "a1", "a2"} == {row.attribute for row in talk.current()}
        assert not [row for row in talk.current() if f"user-{i}" not in row.text]


def test_the_published_settings_are_accepted_as_they_are(published: Path) -> None:
    """All three profiles load, and say different things."""
    found = [load(path) for path in sorted(published.glob("*/profile.toml"))]
    assert 3 == len({config.fingerprint for config in found})
