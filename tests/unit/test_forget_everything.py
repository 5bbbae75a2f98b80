"""Everything of a conversation is forgotten by one explicit word, with a plan and a receipt."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from palimpsest import Memory, cli
from palimpsest.conversation import Conversation
from palimpsest.errors import Ambiguous, InputError, NotFound
from palimpsest.tokens.local import LocalTokenizer
from palimpsest.types import Budget
from palimpsest.write import means_everything

ALL = (
    "everything you know about me", "Forget everything you know about me.", "all about me",
    "Forget everything I told you about me.", "delete all you know about me",
    "tout ce que tu sais sur moi", "Oublie tout ce que tu sais de moi.",
    "alles, was du über mich weißt", "Vergiss alles über mich.",
    "todo lo que sabes de mí", "Olvida todo lo que sabes sobre mí.",
    "tutto quello che sai di me", "tudo o que sabes sobre mim", "Esquece tudo o que sabe de mim.",
)  # fmt: skip
SOME = (
    "everything", "forget it all", "everything about my old job", "all about the staging key",
    "everything you know about my sister", "tout sur mon travail", "alles über meinen Job",
    "forget me not", "everything about Meridian",
)  # fmt: skip


@pytest.fixture
def memory(tmp_path: Path, chatml: LocalTokenizer) -> Iterator[Memory]:
    with Memory.open(tmp_path / "m.db", tokenizer=chatml) as opened:
        yield opened


def told(memory: Memory, name: str = "c") -> Conversation:
    talk = memory.conversation(user="u", id=name)
    for user in ("My gym code is 440017.", "I love slow trains.", "Yesterday it rained in Lisbon."):
        talk.observe(user=user, assistant=f"You said: {user}")
    talk.reflect(extractor="rules")
    talk.correct("My gym code is 551122.", attribute="gym code")
    return talk


@pytest.mark.parametrize("words", ALL)
def test_words_that_mean_all_there_is(words: str) -> None:
    """In six languages, with or without the verb."""
    assert means_everything(words)


@pytest.mark.parametrize("words", SOME)
def test_words_that_name_something_do_not(words: str) -> None:
    """What narrows "everything", and "everything" alone, mean less."""
    assert not means_everything(words)


def test_everything_goes_and_its_places_stay(memory: Memory) -> None:
    """Memories, replaced ones too, words of turns, the story and verdicts; not other talks."""
    talk, other = told(memory), told(memory, "d")
    plan = talk.plan_forget("everything you know about me")
    assert (True, 3) == (plan.everything, plan.counts["turns"])
    assert len(talk.visible()) == len(plan.chain)
    before = [turn.number for turn in talk.turns()]
    with pytest.raises(Ambiguous, match="everything=True"):
        talk.forget(words="everything you know about me")
    assert talk.current()
    records = talk.forget(everything=True)
    assert sum(record.rows for record in records) == len(plan.chain)
    assert ((), before) == (talk.visible(), [turn.number for turn in talk.turns()])
    assert [""] == list({text for t in talk.turns() for m in t.messages for text in m.texts()})
    assert "" == "".join(verdict.text for verdict in talk.verdicts())
    assert other.current()
    request = talk.request("What do you know?", budget=Budget(window=9_000, answer=0))
    sent = json.dumps(request.messages)
    assert not any(word in sent for word in ("440017", "551122", "trains", "Lisbon"))
    with pytest.raises(NotFound):
        talk.forget(everything=True)


def test_it_is_known_again(memory: Memory) -> None:
    """A reading of old words brings no value back."""
    talk = told(memory)
    talk.forget(everything=True)
    talk.append(user="Go on.", assistant="Your code was 551122, I believe.")
    assert "551122" not in json.dumps([m.as_dict() for t in talk.turns() for m in t.messages])


def test_nothing_else_may_be_named_beside_it(memory: Memory) -> None:
    """An id beside ``everything`` is a mistake, and a costly one."""
    with pytest.raises(InputError, match="everything"):
        told(memory).forget(everything=True, id=1)


def test_a_sentence_that_asks_for_it_withholds_all_until_it_is_confirmed(memory: Memory) -> None:
    """All is named in so many words, so all is withheld; accepting does it."""
    talk = told(memory)
    talk.observe(user="Please forget everything you know about me.", assistant="Really?")
    talk.reflect(extractor="rules")
    (verdict,) = talk.review()
    assert "whole-forget" == verdict.rule
    assert {row.id for row in talk.current()} == set(verdict.candidates)
    request = talk.request("What do you know?", budget=Budget(window=9_000, answer=0))
    assert "551122" not in json.dumps(request.messages)
    talk.accept(verdict.id)
    assert () == talk.visible()


def test_the_command_shows_it_first_and_wants_the_explicit_word(
    memory: Memory, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Words alone exit 2 with the command that does it; a receipt of all checks clean."""
    told(memory)
    place = ["--store", str(tmp_path / "m.db"), "--user", "u", "--conversation", "c"]
    words = ["forget", "everything", "you", "know", "about", "me"]
    assert 2 == cli.run([*words, *place])
    shown = capsys.readouterr()
    assert "palimpsest forget --everything --user u --conversation c" in shown.err
    assert "other conversation" not in shown.out
    assert "slow trains" in shown.out
    assert 0 == cli.run(["forget", "--everything", "--dry-run", *place])
    assert "nothing was changed" in capsys.readouterr().out
    assert 2 == cli.run(["forget", "my", "code", "--everything", *place])
    receipt = tmp_path / "receipt.json"
    assert 0 == cli.run(["forget", "--everything", "--receipt", str(receipt), *place])
    assert "forgotten: " in capsys.readouterr().out
    assert all(audit["clean"] for audit in json.loads(receipt.read_text())["audit"])
    assert 0 == cli.run(["audit", "--receipt", str(receipt), "--store", str(tmp_path / "m.db")])


def test_the_command_names_the_conversations_that_it_does_not_reach(
    memory: Memory, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Who asks for "everything you know about me" learns what is left, and how it goes too."""
    told(memory)
    told(memory, "a trip")
    place = ["--store", str(tmp_path / "m.db"), "--user", "u"]
    left = "1 other conversation of 'u' keeps what it holds"
    for command in (["--everything", "--dry-run"], ["--everything"]):
        assert 0 == cli.run(["forget", *command, *place, "--conversation", "c"])
        out = capsys.readouterr().out
        assert left in out
        assert "palimpsest forget --everything --user u --conversation 'a trip'" in out
    assert memory.conversation(user="u", id="a trip").visible()
