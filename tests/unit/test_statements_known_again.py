"""A forgotten statement without a value does not come back: not said by others, not with old words."""

from __future__ import annotations

import dataclasses
import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from palimpsest import Budget, Memory, write
from palimpsest.asking import strategy
from palimpsest.config import Config
from palimpsest.conversation import Conversation
from palimpsest.errors import InputError, StoreError
from palimpsest.integrations.history import History
from palimpsest.proposals import Extraction, Proposal, Quote, Seen
from palimpsest.restoring import restored
from palimpsest.types import Traits
from palimpsest.write import commands
from tests.support.chat_log_files import dialogue, document
from tests.support.log_imports import said as imported
from tests.support.log_imports import taken
from tests.support.suites import Words

STATEMENT = "I am diabetic."
REPLY = "Since you are diabetic, avoid sugar. Oslo is cold."


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "m.db", tokenizer=Words()) as held:
        yield held


@pytest.fixture
def talk(memory: Memory) -> Conversation:
    """A conversation that forgot it, after its first turn."""
    talk = memory.conversation(user="u", id="c")
    talk.observe(user=STATEMENT, assistant="Noted, you are diabetic.")
    talk.reflect(extractor="rules")
    talk.forget(id=talk.visible()[0].id)
    return talk


def answers(talk: Conversation) -> list[str | None]:
    return [turn.messages[-1].content for turn in talk.turns()]


def texts(talk: Conversation) -> list[str]:
    return [row.text for row in talk.visible()]


@dataclass(frozen=True, kw_only=True)
class Says:
    """Proposes a text of every turn, and tells a story; quotes the user's words."""

    text: str
    summary: str | None = None
    anchors: Sequence[str] = ()
    name: str = "says"
    trusted: bool = False

    def extract(self, seen: Seen, config: Config) -> Extraction:
        quote = Quote(message=0, text=0, start=0, end=max(1, len(seen.turn.user)))
        return Extraction(
            proposals=(Proposal(text=self.text, quote=quote),), summary=self.summary,
            anchors=tuple(self.anchors),
        )  # fmt: skip


# --- what is said later -----------------------------------------------------------------


def test_what_an_assistant_tells_again_is_taken_out_before_it_is_kept(talk: Conversation) -> None:
    """Its clauses alone, also in a thought, a result and the arguments of a call."""
    talk.observe(user="What may I eat?", assistant=REPLY)
    call = {"id": "1", "type": "function", "function": {
        "name": "find", "arguments": json.dumps({"note": "The user is diabetic."})}}  # fmt: skip
    talk.observe(messages=[
        {"role": "user", "content": "And where?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": "Your profile says: you are diabetic. The shop opens at ten."},
        {"role": "assistant", "content": "It is open."},
    ])  # fmt: skip
    assert ["Oslo is cold.", "It is open."] == answers(talk)[1:]
    assert "diabetic" not in str(talk.turns())
    assert "The shop opens at ten." in str(talk.turns()[-1])


def test_what_is_said_of_others_or_of_nobody_stays(talk: Conversation) -> None:
    """Recipes, a sister of whom the user speaks now, and one of whom a memory speaks."""
    recipes = "Diabetic recipes are popular."
    talk.observe(user="What is popular?", assistant=recipes)
    talk.observe(user="My sister is diabetic.", assistant="Sorry that your sister is diabetic.")
    talk.reflect(extractor="rules")
    talk.observe(user="Who was it?", assistant="Your sister is diabetic. You are diabetic too.")
    sister = "Your sister is diabetic."
    assert [recipes, f"Sorry that y{sister[1:]}", sister] == [
        (answer or "").strip() for answer in answers(talk)[1:]
    ]
    assert ["My sister is diabetic."] == texts(talk)


def test_the_users_own_later_words_lift_it_and_that_is_recorded(talk: Conversation) -> None:
    """Then it is a memory again, and others may say it."""
    assert (1, 0) == (talk.deletions()[0].values, talk.deletions()[0].lifted)
    talk.observe(user="Actually I am diabetic.", assistant="Then you are diabetic.")
    talk.reflect(extractor="rules")
    talk.observe(user="Well?", assistant=REPLY)
    assert (1, 1) == (talk.deletions()[0].values, talk.deletions()[0].lifted)
    assert ["Actually I am diabetic."] == texts(talk)
    assert ["Then you are diabetic.", REPLY] == answers(talk)[1:]


def test_what_the_application_states_of_the_user_lifts_it(talk: Conversation) -> None:
    """What it states of somebody else does not."""
    talk.remember("My sister is diabetic.")
    assert 0 == talk.deletions()[0].lifted
    talk.remember("The user is diabetic.")
    assert 1 == talk.deletions()[0].lifted


def test_who_denies_it_does_not_say_it_again(talk: Conversation) -> None:
    """The contrary is remembered and may be told; the statement stays forgotten."""
    talk.observe(user="I am not diabetic.", assistant="I see.")
    talk.reflect(extractor="rules")
    talk.observe(user="So?", assistant="You are not diabetic. My notes say you are diabetic.")
    assert (1, 0) == (talk.deletions()[0].values, talk.deletions()[0].lifted)
    assert ["I am not diabetic."] == texts(talk)
    assert "You are not diabetic." == (answers(talk)[-1] or "").strip()


def test_everyday_words_are_not_known_again(memory: Memory) -> None:
    """ "I am happy" leaves no hash, and every answer as it is."""
    talk = memory.conversation(user="u", id="c")
    talk.observe(user="I am happy.", assistant="You are happy!")
    talk.forget(id=talk.remember("I am happy.", turn=1).id)
    talk.observe(user="Good?", assistant="You are happy to hear that it is.")
    assert 0 == talk.deletions()[0].values
    assert ["", "You are happy to hear that it is."] == answers(talk)


def test_a_thought_that_tells_it_goes_whole(memory: Memory) -> None:
    """Before the forget and after it: a signed thought cannot be cut."""
    talk = memory.conversation(user="u", id="c")

    def think() -> None:
        thought = {"type": "thinking", "thinking": "The user is diabetic.", "signature": "x"}
        content = [thought, {"type": "text", "text": "Oslo is cold."}]
        talk.append(messages=[
            {"role": "user", "content": "Well?"}, {"role": "assistant", "content": content},
        ])  # fmt: skip

    think()
    talk.forget(id=talk.remember(STATEMENT).id)
    think()
    assert ("diabetic" in str(talk.turns()), str(talk.turns()).count("Oslo is cold.")) == (False, 4)


def test_a_branch_knows_what_its_parent_forgot(memory: Memory) -> None:
    """Each from its own turns on; and a forget in the branch reaches the parent."""
    talk = memory.conversation(user="u", id="c")
    for number in range(2):
        talk.append(user=f"Turn {number}.", assistant="Yes.")
    talk.forget(id=talk.remember(STATEMENT).id)
    branch = memory.conversation(user="u", id="b")
    write.branch(memory._store, branch.scope, talk.scope, 1)
    branch.append(user="And?", assistant=REPLY)
    branch.forget(id=branch.remember("I was adopted.").id)
    talk.append(user="And?", assistant="You were adopted. Oslo is cold.")
    assert ("Oslo is cold.", "Oslo is cold.") == (answers(branch)[-1], answers(talk)[-1])


# --- what is read -----------------------------------------------------------------------


def test_old_words_propose_it_in_vain(talk: Conversation) -> None:
    """Neither as a memory nor in a summary or an anchor; the verdicts hold no text."""
    talk.observe(user="Oslo is home. Read it again.", assistant="Yes.")
    talk.reflect(
        extractor=Says(
            text="User is diabetic.", summary="The user is diabetic. She lives in Oslo.",
            anchors=("I am diabetic.", "Oslo is home."),
        )
    )  # fmt: skip
    story = talk.story()
    assert [] == texts(talk)
    assert ("She lives in Oslo.", ["Oslo is home."]) == (
        story.summary.strip(), [anchor.text for anchor in story.anchors],
    )  # fmt: skip
    rejected = [(v.action, v.rule, v.text) for v in talk.verdicts() if v.rule == "forgotten"]
    assert [("reject", "forgotten", "")] * 3 == rejected


def test_what_the_user_says_of_a_sister_is_read(talk: Conversation) -> None:
    """As it was said; what a reading makes of it for the user is refused."""
    talk.observe(user="My sister is diabetic.", assistant="I see.")
    talk.reflect(extractor=Says(text="User is diabetic."))
    assert [] == texts(talk)
    talk.observe(user="My sister is diabetic.", assistant="I see.")
    talk.reflect(extractor=Says(text="User's sister is diabetic."))
    assert ["User's sister is diabetic."] == texts(talk)
    assert 0 == talk.deletions()[0].lifted


def test_it_is_forgotten_up_to_the_turn_of_the_forget_in_each_place(memory: Memory) -> None:
    """A global statement leaves all conversations, each up to its own newest turn."""
    first, other = (memory.conversation(user="u", id=name) for name in ("a", "b"))
    other.observe(user="Hello.", assistant="As you are diabetic, no cake.")
    row = commands.remember(memory._store, first.scope, STATEMENT, traits=Traits(reach="global"))
    first.forget(id=row.id)
    other.observe(user="And now?", assistant="As you are diabetic, no tea.")
    third = memory.conversation(user="v", id="b")
    third.observe(user="And now?", assistant="As you are diabetic, no tea.")
    assert ["", ""] == answers(other)
    assert ["As you are diabetic, no tea."] == answers(third)


# --- old words --------------------------------------------------------------------------


def turn(user: str, assistant: str) -> list[dict[str, Any]]:
    return [{"role": "user", "content": user}, {"role": "assistant", "content": assistant}]


def test_an_edited_history_does_not_bring_it_back(memory: Memory) -> None:
    """A branch takes the old words over without it; only what the user says now says it again."""
    held = History(memory=memory, budget=Budget(window=4096, answer=64), branches=True)
    talk = memory.conversation(user="u", id="c")
    told = turn("I am diabetic. I live in Oslo.", "You are diabetic, noted. Oslo is cold.")
    held.observe([*turn("one", "1"), *turn("two", "2"), *told], talk)
    talk.forget(id=talk.remember(STATEMENT, turn=3).id)
    edited = [*turn("one", "1"), *turn("So, I am diabetic!", "Yes, you are diabetic. No cake.")]
    branch = held.observe([*edited, *turn("Well?", "Yes.")], talk)
    assert branch.scope != talk.scope
    assert "diabetic" not in str(branch.turns())
    request = held.request([*edited, {"role": "user", "content": "And?"}], talk)
    assert "diabetic" not in str(request.messages)
    held.observe([*edited, *turn("Well?", "Yes."), *turn("I am diabetic, I say.", "Ok.")], talk)
    assert "I am diabetic, I say." in str(branch.turns()[-1])


def test_a_client_that_sends_another_history_does_not_bring_it_back(memory: Memory) -> None:
    """Without a name for the conversation: neither into the store nor into the request."""
    talk = memory.conversation(user="u", id="c")
    talk.observe(user="Hello.", assistant="Hello.")
    talk.forget(id=talk.remember(STATEMENT).id)
    history = [*turn("Hi. I am diabetic.", "As you are diabetic, hello."),
               {"role": "user", "content": "What is my sister?"}]  # fmt: skip
    exchange = memory.exchanges.open(user="u", messages=history)
    request = memory.exchanges.request(
        exchange, budget=Budget(window=4096, answer=64), strategy=strategy("managed")
    )
    memory.exchanges.observe(exchange, {"role": "assistant", "content": "You are diabetic."})
    assert "diabetic" not in str(request.messages)
    assert exchange.scope != talk.scope
    there = memory.conversation(user="u", id=exchange.scope.conversation)
    assert ("diabetic" in str(there.turns()), 2) == (False, there.last_turn())


def test_a_log_does_not_bring_it_back(memory: Memory, tmp_path: Path) -> None:
    """What it says counts as said before; what it says of a sister comes in."""
    talk = memory.conversation(user="me", id="today")
    talk.forget(id=talk.remember(STATEMENT).id)
    log = ["I am diabetic. I live in Oslo.", "You are diabetic, noted.",
           "My sister is diabetic.", "I see."]  # fmt: skip
    taken(memory, document(tmp_path / "log.json", [dialogue("a", log)]))
    found = [text for turn in imported(memory, "chatgpt/a") for _, text in turn]
    assert ["I live in Oslo.", "", "My sister is diabetic.", "I see."] == [t.strip() for t in found]
    again = memory.conversation(user="me", id="chatgpt/a")
    again.reflect(extractor="rules")
    assert STATEMENT not in texts(again)
    assert 0 == talk.deletions()[0].lifted


def test_who_forgot_one_has_forgotten_something(memory: Memory, talk: Conversation) -> None:
    """So a history does not go as it is where the memory fails; after a lift it does."""
    exchanges = memory.exchanges
    assert (True, False) == (exchanges.forgets("u"), exchanges.forgets("v"))
    assert exchanges.says_forgotten("u", ["Well.", "You are diabetic."])
    assert not exchanges.says_forgotten("u", ["Diabetic recipes are popular."])
    talk.remember(STATEMENT)
    assert not exchanges.forgets("u")


# --- files ------------------------------------------------------------------------------


def test_the_hashes_move_with_an_export(memory: Memory, talk: Conversation, tmp_path: Path) -> None:
    """Twice is once; and without their key they are refused."""
    memory.export(tmp_path / "e.jsonl")
    assert "diabet" not in (tmp_path / "e.jsonl").read_text()
    with (
        Memory.open(tmp_path / "no.db", tokenizer=Words()) as other,
        pytest.raises(InputError, match="key of the deletion records"),
    ):
        other.import_file(tmp_path / "e.jsonl")
    config = dataclasses.replace(
        Config(), forget=dataclasses.replace(Config().forget, key_file=str(tmp_path / "m.db.key"))
    )
    with Memory.open(tmp_path / "n.db", tokenizer=Words(), config=config) as other:
        for _ in range(2):
            other.import_file(tmp_path / "e.jsonl")
        there = other.conversation(user="u", id="c")
        there.observe(user="And?", assistant=REPLY)
        assert "Oslo is cold." == answers(there)[-1]
        assert talk.deletions() == there.deletions()


def test_an_export_of_before_has_no_languages(
    memory: Memory, talk: Conversation, tmp_path: Path
) -> None:
    """Its parts are values: they are taken over as such."""
    memory.export(tmp_path / "e.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "e.jsonl").read_text().splitlines()]
    for row in rows:
        for column in ("language", "mine"):
            row.pop(column, None)
    old = tmp_path / "old.jsonl"
    old.write_text("".join(json.dumps(row) + "\n" for row in rows))
    config = dataclasses.replace(
        Config(), forget=dataclasses.replace(Config().forget, key_file=str(tmp_path / "m.db.key"))
    )
    with Memory.open(tmp_path / "n.db", tokenizer=Words(), config=config) as other:
        other.import_file(old)
        assert 1 == other.conversation(user="u", id="c").deletions()[0].values


def test_going_back_to_a_backup_takes_the_record_over(memory: Memory, tmp_path: Path) -> None:
    """Nothing of the copy says it, and it is known again there."""
    talk = memory.conversation(user="u", id="c")
    talk.observe(user=STATEMENT, assistant="Noted, you are diabetic.")
    talk.observe(user="Next?", assistant="You are diabetic, so no. Oslo is cold.")
    memory.backup(tmp_path / "b.db")
    talk.forget(id=talk.remember(STATEMENT, turn=1).id)
    before = [(one.values, one.lifted) for one in talk.deletions()]
    memory.close()
    restored(tmp_path / "m.db", tmp_path / "b.db", key_file=None, progress=lambda at, of: None)
    with Memory.open(tmp_path / "m.db", tokenizer=Words()) as back:
        again = back.conversation(user="u", id="c")
        again.observe(user="And?", assistant=REPLY)
        assert "diabetic" not in str(again.turns())
        assert before == [(one.values, one.lifted) for one in again.deletions()]


def test_a_summary_of_a_copy_that_says_it_is_forgotten_again(
    memory: Memory, tmp_path: Path
) -> None:
    """Where no memory of the copy held it, its texts are looked through."""
    talk = memory.conversation(user="u", id="c")
    talk.observe(user="Hello.", assistant="Hello.")
    talk.reflect(extractor=Says(text="Hello there.", summary="The user is diabetic. Oslo is home."))
    memory.backup(tmp_path / "b.db")
    talk.forget(id=talk.remember(STATEMENT).id)
    assert "Oslo is home." == talk.story().summary.strip()
    memory.close()
    restored(tmp_path / "m.db", tmp_path / "b.db", key_file=None, progress=lambda at, of: None)
    with Memory.open(tmp_path / "m.db", tokenizer=Words()) as back:
        assert "Oslo is home." == back.conversation(user="u", id="c").story().summary.strip()


def test_a_receipt_is_checked_by_the_words(memory: Memory, tmp_path: Path) -> None:
    """A file of before says it; without the file the forget holds, whatever is said of others."""
    talk = memory.conversation(user="u", id="c")
    talk.observe(user=STATEMENT, assistant="Noted, you are diabetic.")
    row = talk.remember(STATEMENT, turn=1)
    memory.backup(tmp_path / "b.db")
    done = talk.forget(id=row.id)
    path = tmp_path / "r.json"
    path.write_text(json.dumps(memory.receipt(talk.scope, done, [])))
    assert "diabet" not in path.read_text()
    assert ["holds it"] == [file.state for file in memory.check_receipt(path).files]
    (tmp_path / "b.db").unlink()
    talk.observe(user="My sister is diabetic.", assistant="I see, your sister.")
    talk.reflect(extractor="rules")
    checked = memory.check_receipt(path)
    assert ((), True) == (checked.rows, checked.clean)
    connection = sqlite3.connect(tmp_path / "m.db")
    with connection:
        connection.execute("UPDATE stories SET summary = 'The user is diabetic.'")
        if not connection.total_changes:
            connection.execute("UPDATE memories SET text = 'The user is diabetic.'")
    connection.close()
    assert not memory.check_receipt(path).clean


def test_no_row_tells_a_word_of_it(talk: Conversation, tmp_path: Path) -> None:
    """What is kept is a language, a count and keyed hashes; two users' have nothing in common."""
    with Memory.open(tmp_path / "m.db", tokenizer=Words()) as memory:
        other = memory.conversation(user="v", id="c")
        other.forget(id=other.remember(STATEMENT).id)
    connection = sqlite3.connect(tmp_path / "m.db")
    parts = connection.execute("SELECT words, language, mine FROM forgotten_values").fetchall()
    hashes = [hash for (hash,) in connection.execute("SELECT hash FROM forgotten")]
    connection.close()
    assert [(1, "en", 1)] * 2 == parts
    assert 2 == len(set(hashes))
    for file in tmp_path.iterdir():
        assert b"diabet" not in file.read_bytes()


def test_without_the_key_nothing_is_let_through(talk: Conversation, tmp_path: Path) -> None:
    """As for values: the error names the file."""
    (tmp_path / "m.db.key").rename(tmp_path / "away")
    with (
        Memory.open(tmp_path / "m.db", tokenizer=Words()) as memory,
        pytest.raises(StoreError, match=r"is not at '.*m\.db\.key'"),
    ):
        memory.conversation(user="u", id="c").append(user="Hello.", assistant=REPLY)


@pytest.mark.parametrize("said", ["I like diabetic recipes.", "I cook diabetic food for guests."])
def test_what_only_has_its_words_is_remembered_and_lifts_nothing(
    talk: Conversation, said: str
) -> None:
    """It is another statement: it is kept, and others still do not tell the forgotten one."""
    talk.observe(user=said, assistant="As a diabetic, avoid sugar. Here are some.")
    talk.reflect(extractor=Says(text=said))
    assert [said] == texts(talk)
    talk.remember(said, attribute="cooking")
    assert said in texts(talk)
    talk.observe(user="And now?", assistant="As a diabetic, avoid sugar. Oslo is cold.")
    assert 0 == talk.deletions()[0].lifted
    assert "Oslo is cold." == (answers(talk)[-1] or "").strip()
