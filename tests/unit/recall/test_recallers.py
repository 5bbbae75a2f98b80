"""Who embeds for whom: the settings, the one who opens, or the strategy of a request."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from palimpsest import Budget, Config, Memory
from palimpsest.errors import InputError, NotPrepared, SpecError
from palimpsest.ledger import Request
from palimpsest.protocols import Tokenizer
from palimpsest.settings import RecallSettings
from tests.support.embedders import Moody

ROOM = Budget(window=2000, answer=100)
SET = dataclasses.replace(Config(), recall=RecallSettings(embedder="hashed(dimensions=64)"))


def asked(memory: Memory, strategy: str = "seats") -> Request:
    talk = memory.conversation(user="ana", id="trip")
    if not talk.current():
        talk.remember("My bees are black.")
    return talk.request("What colour are my bees?", budget=ROOM, strategy=strategy)


def names(memory: Memory) -> list[str]:
    return [item.name for item in memory.index_status().vectors]


@pytest.mark.parametrize(
    ("given", "strategy", "expected"),
    [
        ({}, "seats", []),
        ({"config": SET}, "seats", ["hashed-64"]),
        ({"config": SET}, "managed", []),
        ({"embedder": "hashed"}, "seats", ["hashed-384"]),
        ({"embedder": Moody()}, "seats", ["moody-64"]),
        ({}, "seats(embedder='hashed(dimensions=96)')", ["hashed-96"]),
    ],
)
def test_who_embeds(
    given: dict[str, Any], strategy: str, expected: list[str], chatml: Tokenizer
) -> None:
    """A strategy's own word beats the settings; one without recall embeds nothing."""
    with Memory.open(":memory:", tokenizer=chatml, indexing="inline", **given) as memory:
        request = asked(memory, strategy)
        found = "semantic" if expected else "lexical" if strategy == "seats" else "seated"

        assert expected == names(memory)
        assert ("", [found]) == (request.degraded, [e.reason for e in request.ledger.memories])
        assert strategy == request.strategy


def test_a_replay_asks_the_same_question_twice_and_gets_the_same_request(
    chatml: Tokenizer,
) -> None:
    """Inline, there is no clock and no thread between a question and its scores."""
    with Memory.open(":memory:", tokenizer=chatml, config=SET, indexing="inline") as memory:
        first, second = asked(memory), asked(memory)

    assert (first.sent, first.ledger) == (second.sent, second.ledger)


def test_what_cannot_embed_is_refused_when_it_is_named(
    tmp_path: Path, empty_cache: Path, chatml: Tokenizer
) -> None:
    """Not in the middle of a turn; and the store is left closed."""
    path = tmp_path / "m.db"
    with pytest.raises(NotPrepared, match="palimpsest embedder prepare minilm"):
        Memory.open(path, embedder="minilm")
    with pytest.raises(SpecError, match="did you mean 'minilm'"):
        Memory.open(path, embedder="minilms")
    with pytest.raises(InputError, match="neither a Spec text nor an Embedder"):
        Memory.open(path, embedder=object())  # type: ignore[arg-type]
    with Memory.open(path, tokenizer=chatml) as memory, pytest.raises(NotPrepared):
        asked(memory, "seats(embedder='minilm')")


def test_there_is_nothing_to_index_without_an_embedder() -> None:
    """The error says where one is set."""
    with (
        Memory.open(":memory:") as memory,
        pytest.raises(InputError, match=r"\[recall\] embedder"),
    ):
        memory.index()


def test_a_memory_that_was_closed_is_not_waited_for(chatml: Tokenizer) -> None:
    """Closing ends the thread; a second close does nothing."""
    moody = Moody()
    memory = Memory.open(":memory:", tokenizer=chatml, embedder=moody)
    asked(memory)
    memory.close()
    memory.close()
    before = len(moody.calls)

    assert memory.index() is None
    assert before == len(moody.calls)


def test_an_inline_failure_is_raised(chatml: Tokenizer) -> None:
    """A benchmark must not go on without what it measures."""
    moody = Moody(error=ConnectionError("out"))
    with (
        Memory.open(":memory:", tokenizer=chatml, embedder=moody, indexing="inline") as memory,
        pytest.raises(ConnectionError),
    ):
        asked(memory)
