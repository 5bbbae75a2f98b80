"""Exchanges of clients that send their whole history: found, branched, kept, and moved."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from palimpsest import Budget, Memory
from palimpsest.asking import strategy
from palimpsest.config import Config
from palimpsest.errors import InputError, StoreError
from palimpsest.exchanges import Exchange
from palimpsest.tokens.counter import TokenCounter
from palimpsest.tokens.prepared import resolve
from palimpsest.types import Memory as Row

COUNTER = TokenCounter(resolve("estimate", Config()))
ROOM = Budget(window=100_000, answer=100)
SEATS = strategy("seats")
ME = "ana"


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def bot(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "m.db", counter=COUNTER) as made:
        yield made


def say(memory: Memory, history: list[Any], text: str, reply: str = "Yes.") -> Exchange:
    """One whole exchange; the history grows by it."""
    history.append(user(text))
    exchange = memory.exchanges.open(user=ME, messages=history)
    request = memory.exchanges.request(exchange, budget=ROOM, strategy=SEATS)
    memory.exchanges.observe(exchange, bot(reply), request)
    history.append(bot(reply))
    return exchange


def names(memory: Memory) -> tuple[str, ...]:
    return memory.conversations(ME)


def current(memory: Memory, name: str) -> list[Row]:
    return list(memory.conversation(user=ME, id=name).current())


def test_nothing_is_written_before_the_answer(memory: Memory, tmp_path: Path) -> None:
    """To open an exchange and build its request leaves the store as it was."""
    history: list[Any] = []
    say(memory, history, "Hello.")
    exchanges = memory.exchanges
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    history.append(user("Look."))
    exchange = exchanges.open(user=ME, messages=history)
    exchanges.observe(exchange, {"role": "assistant", "content": None, "tool_calls": [call]})
    history += [{"role": "assistant", "tool_calls": [call]},
                {"role": "tool", "tool_call_id": "c", "content": "Found."}]  # fmt: skip
    memory.exchanges.open(user=ME, messages=history)
    before = _dump(tmp_path / "m.db")
    exchange = exchanges.open(user=ME, messages=history)
    request = exchanges.request(exchange, budget=ROOM, strategy=SEATS)
    assert before == _dump(tmp_path / "m.db")
    assert "Found." == request.messages[-1]["content"]
    exchanges.broke_off(exchange, request)
    after = _dump(tmp_path / "m.db")
    assert [line for line in after if 'INSERT INTO "turns"' in line] == [
        line for line in before if 'INSERT INTO "turns"' in line
    ]
    assert request.id in "".join(after)


def _dump(path: Path) -> list[str]:
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
        found = [line for line in db.iterdump() if "memory_changes" not in line]
    db.close()
    return found


def test_a_trail_that_is_dropped_is_made_again(memory: Memory) -> None:
    """Derived: the same conversation is found, and the rows are the same."""
    history: list[Any] = []
    first, *_ = (say(memory, history, f"Part {n}.") for n in range(3))
    rows = memory._store._db.rows("SELECT * FROM trails")
    with memory._store.transaction():
        memory._store._db.write("DELETE FROM trails")
    assert first.scope == say(memory, history, "More.").scope
    assert rows == memory._store._db.rows("SELECT * FROM trails")[:3]
    # Whatever else writes turns is caught up with.
    memory.conversation(user=ME, id=first.scope.conversation).append(
        user="By hand.", assistant="Ok."
    )
    history += [user("By hand."), bot("Ok.")]
    assert first.scope == say(memory, history, "And?").scope
    assert 1 == len(names(memory))


def test_a_trail_tells_nobody_a_short_text(tmp_path: Path) -> None:
    """Two stores that hold the same words have no hash in common: the key is not in the file."""
    hashes = []
    for name in ("a.db", "b.db"):
        with Memory.open(tmp_path / name, counter=COUNTER) as memory:
            say(memory, [], "Hi.")
            hashes.append({row[0] for row in memory._store._db.rows("SELECT hash FROM trails")})
    assert 1 == len(hashes[0])
    assert not hashes[0] & hashes[1]


def test_a_forget_leaves_the_hashes_by_which_its_history_is_found(memory: Memory) -> None:
    """The client still sends the old words: they are known, and nothing is stored again."""
    history: list[Any] = []
    say(memory, history, "Hello.")
    name = say(memory, history, "My PIN is 4417.").scope.conversation
    say(memory, history, "Good.")
    before = memory._store._db.rows("SELECT * FROM trails ORDER BY turn")
    memory.conversation(user=ME, id=name).forget(value="4417")
    assert before == memory._store._db.rows("SELECT * FROM trails ORDER BY turn")
    say(memory, history, "And now?")
    after = memory._store._db.rows("SELECT * FROM trails ORDER BY turn")
    assert (before, 4) == (after[:3], len(after))
    assert (name,) == names(memory)


@pytest.mark.parametrize("trail", [True, False])
@pytest.mark.parametrize("forget", [{"words": "diabetic"}, {"everything": True}])
def test_another_history_is_not_taken_for_one_of_which_nothing_is_left(
    memory: Memory, forget: dict[str, Any], trail: bool
) -> None:
    """An emptied turn stands for what was said there and for nothing else; no word is lost."""
    history: list[Any] = []
    name = say(memory, history, "I am diabetic.", "You are diabetic.").scope.conversation
    talk = memory.conversation(user=ME, id=name)
    talk.remember("I am diabetic.", turn=1)
    talk.forget(**forget)
    assert [("", "")] == [(turn.user, turn.assistant) for turn in talk.turns()]
    if not trail:
        memory._store._db._connection.execute("DELETE FROM trails")
    other = [user("What is 2 + 2?"), bot("4.")]
    begun = say(memory, other, "And 3 + 3?").scope.conversation
    turns = memory.conversation(user=ME, id=begun).turns()
    assert ["What is 2 + 2?", "And 3 + 3?"] == [turn.user for turn in turns]
    if trail or "words" in forget:
        assert name == say(memory, history, "And now?").scope.conversation
        assert ["", "And now?"] == [turn.user for turn in talk.turns()]


def test_another_key_finds_nothing_by_old_hashes_and_loses_nothing(tmp_path: Path) -> None:
    """The key file is lost while nothing was forgotten: trails are made anew."""
    path, history = tmp_path / "m.db", []
    with Memory.open(path, counter=COUNTER) as memory:
        first = say(memory, history, "Hello.")
    os.unlink(f"{path}.key")
    with Memory.open(path, counter=COUNTER) as memory:
        assert first.scope == say(memory, history, "Again.").scope


def test_a_lost_key_of_deletions_is_told_and_no_new_one_is_made(tmp_path: Path) -> None:
    """Without it what was forgotten could come back unseen."""
    path, history = tmp_path / "m.db", []
    with Memory.open(path, counter=COUNTER) as memory:
        place = say(memory, history, "My PIN is 4417.").scope.conversation
        memory.conversation(user=ME, id=place).forget(value="4417")
    os.unlink(f"{path}.key")
    with Memory.open(path, counter=COUNTER) as memory:
        with pytest.raises(StoreError, match="put the file back"):
            memory.exchanges.open(user=ME, messages=[*history, user("So?")])
        assert not os.path.exists(f"{path}.key")


def test_two_answers_at_one_place_are_two_branches(memory: Memory) -> None:
    """Two windows of one client ask at once: nothing is lost, nothing is mixed."""
    history: list[Any] = []
    say(memory, history, "Hello.")
    asked = [[*history, user(text)] for text in ("Cats?", "Dogs?")]
    opened = [memory.exchanges.open(user=ME, messages=messages) for messages in asked]
    assert opened[0].scope == opened[1].scope
    for exchange, reply in zip(opened, ("Cats.", "Dogs."), strict=True):
        memory.exchanges.observe(exchange, bot(reply))
    said = {
        tuple(turn.assistant for turn in memory.conversation(user=ME, id=name).turns())
        for name in names(memory)
    }
    assert {("Yes.", "Cats."), ("Yes.", "Dogs.")} == said


def test_a_result_that_was_answered_twice_at_once_branches_before_its_turn(memory: Memory) -> None:
    """Both hold the call, the result and an answer of their own."""
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    history: list[Any] = [user("Look.")]
    calls = {"role": "assistant", "content": None, "tool_calls": [call]}
    memory.exchanges.observe(memory.exchanges.open(user=ME, messages=history), calls)
    history += [calls, {"role": "tool", "tool_call_id": "c", "content": "Found."}]
    opened = [memory.exchanges.open(user=ME, messages=history) for _ in range(2)]
    for exchange, reply in zip(opened, ("One.", "Two."), strict=True):
        memory.exchanges.observe(exchange, bot(reply))
    turns = [memory.conversation(user=ME, id=name).turns() for name in names(memory)]
    assert [1, 1] == [len(each) for each in turns]
    assert [["user", "assistant", "tool", "assistant"]] * 2 == [
        [message.role for message in each[0].messages] for each in turns
    ]
    assert {"One.", "Two."} == {each[0].assistant.strip() for each in turns}


def test_a_branch_has_the_words_of_the_fork(memory: Memory) -> None:
    """A later turn that said a memory in other words changes no branch from before it."""
    history: list[Any] = []
    name = say(memory, history, "I prefer trains.").scope.conversation
    talk = memory.conversation(user=ME, id=name)
    talk.reflect(extractor="rules")
    before = list(history)
    say(memory, history, "I prefer trains over planes for every trip.")
    (row,) = (m for m in talk.current() if "trains" in m.text)
    with memory._store.transaction():
        store = memory._store
        store.wordings.add(row, talk.scope, turn=1, text="I prefer trains.")
        store.wordings.add(row, talk.scope, turn=2, text="I prefer trains over planes.")
        store.memories.see(talk.scope, row.id)
        store.memories.rewrite(
            talk.scope, row.id, text="I prefer trains over planes.", value=row.value
        )
    branch = say(memory, before, "So?").scope.conversation
    assert ["I prefer trains."] == [m.text for m in current(memory, branch)]
    assert [1] == [m.seen for m in current(memory, branch)]
    assert "I prefer trains over planes." in [m.text for m in talk.current()]


def test_what_the_application_stated_and_what_is_global_is_there_in_a_branch(
    memory: Memory,
) -> None:
    """A statement without a turn is copied; a global one is the same row."""
    history: list[Any] = []
    name = say(memory, history, "Hello.").scope.conversation
    talk = memory.conversation(user=ME, id=name)
    pinned = talk.remember("The trip is in May.", attribute="trip")
    talk.pin(pinned.id)
    before = list(history)
    say(memory, history, "More.")
    branch = say(memory, before, "Less.").scope.conversation
    (copy,) = current(memory, branch)
    assert ("The trip is in May.", "trip", True) == (copy.text, copy.attribute, copy.pinned)
    assert copy.id != pinned.id
    # A correction in the branch is the branch's alone.
    memory.conversation(user=ME, id=branch).correct("The trip is in June.", attribute="trip")
    assert ["The trip is in May."] == [m.text for m in talk.current()]


def test_an_export_takes_branches_along_and_a_forget_reaches_them_there(
    memory: Memory, tmp_path: Path
) -> None:
    """The family is the same in the other store, and the history is recognised there too."""
    history: list[Any] = []
    parent = say(memory, history, "My PIN is 4417.").scope.conversation
    before = list(history)
    say(memory, history, "More.")
    branch = say(memory, before, "Less.").scope.conversation
    memory.export(tmp_path / "all.jsonl")
    with Memory.open(tmp_path / "other.db", counter=COUNTER) as other:
        other.import_file(tmp_path / "all.jsonl")
        other.conversation(user=ME, id=branch).forget(value="4417")
        texts = [repr(other.conversation(user=ME, id=name).turns()) for name in (parent, branch)]
        assert not any("4417" in text for text in texts)
        assert other.audit("4417").rows == ()
        assert branch == say(other, before, "And?").scope.conversation
        assert parent == say(other, history, "And?").scope.conversation


def test_a_forget_is_planned_for_the_whole_family(memory: Memory) -> None:
    """What the plan shows is what goes, in every branch."""
    history: list[Any] = []
    parent = say(memory, history, "My PIN is 4417.").scope.conversation
    memory.conversation(user=ME, id=parent).reflect(extractor="rules")
    before = list(history)
    say(memory, history, "More.")
    branch = say(memory, before, "Less.").scope.conversation
    talk = memory.conversation(user=ME, id=parent)
    plan = talk.plan_forget(value="4417")
    assert {parent, branch} == {piece.place.conversation for piece in plan.pieces}
    done = talk.forget(value="4417")
    assert plan.counts["rows"] == sum(record.rows for record in done)
    assert [[], []] == [
        [m for m in current(memory, name) if "4417" in m.text] for name in (parent, branch)
    ]


def test_a_copy_that_was_said_anew_goes_with_its_original(memory: Memory) -> None:
    """The branch worded it again; it is still what the parent is to forget."""
    history: list[Any] = []
    parent = say(memory, history, "I like green tea.").scope.conversation
    talk = memory.conversation(user=ME, id=parent)
    talk.remember("I like green tea.", turn=1)
    before = list(history)
    say(memory, history, "More.")
    branch = memory.conversation(user=ME, id=say(memory, before, "Less.").scope.conversation)
    (copy,) = branch.current()
    with memory._store.transaction():
        memory._store.wordings.add(copy, branch.scope, turn=1, text=copy.text)
        memory._store.memories.rewrite(
            branch.scope, copy.id, text="I like green tea a lot.", value=None
        )
    talk.forget(id=talk.current()[0].id)
    assert () == branch.current()
    assert () == talk.current()


def test_a_store_that_changes_nothing_branches_too(tmp_path: Path) -> None:
    """The baseline keeps every row and knows histories again."""
    with Memory.open(tmp_path / "m.db", counter=COUNTER, policy="append-only") as memory:
        history: list[Any] = []
        say(memory, history, "Hello.")
        before = list(history)
        say(memory, history, "More.")
        say(memory, before, "Less.")
        assert 2 == len(names(memory))


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ([], "no message of a user"),
        ([{"role": "system", "content": "Be kind."}], "no message of a user"),
        ([user("Hi."), bot("Once upon")], "answered by none"),
        ([user("Hi."), {"role": "tool", "tool_call_id": "x", "content": "1"}], "the call 'x'"),
        ([{"role": "owner", "content": "Hi."}], "role"),
    ],
)
def test_messages_that_no_model_waits_to_answer_are_refused(
    memory: Memory, messages: list[Any], words: str
) -> None:
    """With the reason, and nothing is stored."""
    with pytest.raises(InputError, match=words):
        memory.exchanges.open(user=ME, messages=messages)
    assert () == names(memory)


def test_an_answer_is_of_the_assistant(memory: Memory) -> None:
    """A reply of another role is a mistake of the caller."""
    exchange = memory.exchanges.open(user=ME, messages=[user("Hi.")])
    with pytest.raises(InputError, match=r"reply\.role"):
        memory.exchanges.observe(exchange, user("Hello."))
