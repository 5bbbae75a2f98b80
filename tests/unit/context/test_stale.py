"""A replaced statement is in no request, unless its history is asked for and marked."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from palimpsest import Budget, Memory
from palimpsest.conversation import Conversation
from palimpsest.errors import SpecError
from palimpsest.tokens.counter import TokenCounter
from palimpsest.tokens.local import LocalTokenizer

ROOM = Budget(window=100_000, answer=0)


@pytest.fixture
def talk(chatml: LocalTokenizer) -> Iterator[Conversation]:
    """A city that was corrected, and a PIN that was forgotten."""
    with Memory.open(":memory:", counter=TokenCounter(chatml)) as memory:
        made = memory.conversation(user="u", id="c")
        for said, attribute in (("We go to Porto.", "city"), ("My PIN is 441790.", "pin")):
            (turn,) = made.append(user=said, assistant=f"So: {said}")
            made.remember(said, attribute=attribute, turn=turn.number)
        (turn,) = made.append(user="We go to Rome.", assistant="Not Porto.")
        made.correct("We go to Rome.", attribute="city", turn=turn.number)
        made.forget(attribute="pin")
        yield made


def sent(talk: Conversation, strategy: str) -> str:
    """The messages of a request, as text."""
    request = talk.request("Before?", budget=ROOM, strategy=strategy, record=False)
    return json.dumps(request.messages, ensure_ascii=False)


def test_strict_is_the_default(talk: Conversation) -> None:
    """Neither the statement nor who repeats it."""
    for strategy in ("managed", "managed(stale='strict')", "seats"):
        assert "Porto" not in sent(talk, strategy)


def test_a_marked_history_may_be_sent(talk: Conversation) -> None:
    """Every occurrence stands inside the mark; what was forgotten stays forgotten."""
    text = sent(talk, "managed(stale='allow-if-marked')")
    assert "[replaced since, no longer true: We go to Porto.]" in text
    assert "Not [replaced since, no longer true: Porto]." in text
    assert text.count("Porto") == text.count("no longer true: We go to Porto") + text.count(
        "no longer true: Porto"
    )
    assert "441790" not in text


def test_another_word_is_refused(talk: Conversation) -> None:
    """The error lists the two that there are."""
    with pytest.raises(SpecError, match="stale='maybe' is not one of 'strict', 'allow-if-marked'"):
        sent(talk, "managed(stale='maybe')")
