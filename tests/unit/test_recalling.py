"""Recall without a request: what a question brings back, with scores and reasons."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterator

import pytest

from palimpsest import Config, Memory
from palimpsest.conversation import Conversation
from palimpsest.errors import InputError
from palimpsest.settings import RecallSettings
from tests.support.embedders import Moody


@pytest.fixture
def talk() -> Iterator[Conversation]:
    with Memory.open(":memory:") as memory:
        yield memory.conversation(user="ada", id="trip")


def test_nothing_in_common_brings_nothing_back(talk: Conversation) -> None:
    """What would only fill a seat is not what the question brings back."""
    talk.remember("I like tea.")
    found = talk.recall("Where is my bike?")
    assert ((), 0, "") == (found.memories, found.found, found.degraded)


def test_the_limit_keeps_the_nearest_and_tells_of_the_others(talk: Conversation) -> None:
    """A statement that shares more of the question's words comes first."""
    talk.remember("I have a bike.")
    talk.remember("My red bike is in the cellar.")
    talk.remember("The cellar is damp.")
    found = talk.recall("Is my red bike in the cellar?", limit=1)
    assert ([2], 3) == ([each.memory.id for each in found.memories], found.found)


@pytest.mark.parametrize(("question", "limit"), [(" ", 5), ("", 5), ("bike", 0), ("bike", -1)])
def test_a_question_without_words_or_room_is_refused(
    talk: Conversation, question: str, limit: int
) -> None:
    """InputError with the name of the argument."""
    with pytest.raises(InputError, match=r"question|limit"):
        talk.recall(question, limit=limit)


def test_only_the_first_characters_of_a_question_are_looked_for(talk: Conversation) -> None:
    """As in a request: ``[query] characters``."""
    talk.remember("I have a bike.")
    assert not talk.recall("x " * 1_000 + "bike").memories
    assert talk.recall("bike " + "x " * 1_000).memories


def test_an_embedder_that_hangs_is_told_and_words_still_find(moody: Moody) -> None:
    """Within the deadline, flagged degraded; in time the same memory has its cosine."""
    config = dataclasses.replace(Config(), recall=RecallSettings(deadline=0.3, failures=9))
    with Memory.open(":memory:", config=config, embedder=moody) as memory:
        talk = memory.conversation(user="ana", id="trip")
        talk.remember("My bees are black.")
        assert memory.index() is not None
        (meant,) = talk.recall("What colour are my bees?").memories
        moody.answers.clear()
        began = time.monotonic()
        late = talk.recall("What colour are my bees?")
        took = time.monotonic() - began

    assert ("semantic", True) == (meant.reason, (meant.semantic or 0) > moody.threshold)
    assert "no answer within 0.3 seconds" in late.degraded
    assert [("lexical", None)] == [(each.reason, each.semantic) for each in late.memories]
    assert took < 3


@pytest.fixture
def moody() -> Iterator[Moody]:
    made = Moody()
    yield made
    made.answers.set()
