"""One turn of a chat: what reading does wrong never costs an answer that was given."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from palimpsest import Budget, Memory
from palimpsest.asking import strategy
from palimpsest.chat import ChatReply
from palimpsest.cli.chat_screen import Screen
from palimpsest.cli.chat_turn import Setup, Turns
from palimpsest.cli.interrupts import Interrupts
from palimpsest.config import Config
from palimpsest.conversation import Conversation
from palimpsest.errors import StoreError
from palimpsest.extract.rules import Rules
from palimpsest.models.scripted import Scripted
from palimpsest.proposals import Extraction, Seen
from palimpsest.protocols import Extractor
from palimpsest.tokens.local import LocalTokenizer

Made = Callable[[Scripted, Extractor], Turns]


class Broken:
    """A plug-in that raises what no plug-in should."""

    trusted = False

    def extract(self, seen: Seen, config: Config) -> Extraction:
        """Never returns."""
        raise ZeroDivisionError(seen.turn.user)


class Whole:
    """A model that cannot stream."""

    def __init__(self, text: str) -> None:
        self._script = Scripted([text])
        self.identity = self._script.identity

    def answer(self, call: object) -> ChatReply:
        """The one answer."""
        return self._script.answer(call)  # type: ignore[arg-type]


@pytest.fixture
def made(chatml: LocalTokenizer) -> Iterator[Made]:
    with Memory.open(":memory:", tokenizer=chatml) as memory:

        def turns(model: Scripted, extractor: Extractor) -> Turns:
            setup = Setup(
                model=model, budget=Budget(window=2000, answer=200), strategy=strategy("seats"),
                extractor=extractor, instructions=None, temperature=0.5, counter=memory.counter,
            )  # fmt: skip
            talk = memory.conversation(user="me", id="default")
            return Turns(talk, setup, Screen(typed=False), Interrupts())

        yield turns


def test_a_reading_that_fails_leaves_the_turn_and_says_so(
    made: Made, capsys: pytest.CaptureFixture[str]
) -> None:
    """The answer stands, the turn is stored, and how to read it again is told, without its words."""
    turns = made(Scripted(["Fine."]), Broken())
    assert turns.say("I live in Porto.")
    out, err = capsys.readouterr()
    assert "Fine.\n" == out
    assert "turn 1 could not be read (ZeroDivisionError in broken)" in err
    assert "palimpsest reflect --retry" in err
    assert "Porto" not in err
    assert [("I live in Porto.", "Fine.")] == [(t.user, t.assistant) for t in turns.talk.turns()]


def test_a_store_that_fails_while_reading_ends_no_chat(
    made: Made, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever reflection raises, the next message is answered and read with this one."""
    turns = made(Scripted(["One.", "Two."]), Rules())
    with monkeypatch.context() as patch:
        patch.setattr(
            Conversation, "reflect", lambda *_, **__: (_ for _ in ()).throw(StoreError("x"))
        )
        assert turns.say("I live in Porto.")
    assert "could not read what was said: StoreError" in capsys.readouterr().err
    assert turns.say("My sister is called Ana.")
    err = capsys.readouterr().err
    assert "remembered #1: I live in Porto.; remembered #2: My sister is called Ana." in err


def test_a_model_without_a_stream_answers_whole(
    made: Made, capsys: pytest.CaptureFixture[str]
) -> None:
    """A recorded answer, say, comes in one piece."""
    turns = made(Whole("All at once."), Rules())  # type: ignore[arg-type]
    assert turns.say("Hello?")
    assert "All at once.\n" == capsys.readouterr().out


def test_what_changed_no_memory_is_not_told(made: Made, capsys: pytest.CaptureFixture[str]) -> None:
    """Small talk teaches nothing, so nothing is said about it."""
    assert made(Scripted(["Hello!"]), Rules()).say("Good morning!")
    assert "" == capsys.readouterr().err
