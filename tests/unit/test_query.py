"""What recall looks for: the words of the question, whatever shape the question has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from palimpsest import Budget, Memory
from palimpsest.config import Config
from palimpsest.conversation import Conversation
from palimpsest.settings import QuerySettings
from palimpsest.tokens.local import LocalTokenizer

BUDGET = Budget(window=4_096, answer=0)


@pytest.fixture
def talk(chatml: LocalTokenizer) -> Iterator[Conversation]:
    """A conversation with more facts than seats; the oldest is about an allergy."""
    with Memory.open(":memory:", tokenizer=chatml) as memory:
        found = memory.conversation(user="ana", id="1")
        found.remember("Walnuts make my throat swell.")
        for number in range(40):
            found.remember(f"Locker {number} is painted in colour {number}.")
        yield found


def recalled(talk: Conversation, question: Any, query: QuerySettings | None = None) -> bool:
    """Whether the oldest fact was brought back by the question."""
    request = talk.request(
        question, budget=BUDGET, strategy="seats", config=Config(query=query or QuerySettings())
    )
    entry = request.ledger.memory(1)
    assert entry is not None
    return entry.reason == "lexical"


PARTS: tuple[Any, ...] = (
    "May I eat walnuts?",
    [{"type": "text", "text": "May I eat walnuts?"}],
    [{"type": "text", "text": "Well:"}, {"type": "text", "text": "may I eat walnuts?"}],
    [
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        {"type": "text", "text": "Are there walnuts in it?"},
    ],
)


@pytest.mark.parametrize("question", PARTS)
def test_the_words_of_a_question_are_looked_for_in_every_shape(
    talk: Conversation, question: Any
) -> None:
    """A text, a list of text parts, and a text beside an image bring back the same."""
    assert recalled(talk, question)


def test_a_request_without_a_question_looks_for_the_turn_that_waits(talk: Conversation) -> None:
    """After a tool result the words that the turn began with are the query."""
    call = {"id": "c1", "type": "function", "function": {"name": "menu", "arguments": "{}"}}
    talk.append(
        messages=[
            {"role": "user", "content": "Look whether the menu has walnuts."},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": "soup"},
        ]
    )
    assert recalled(talk, None)


def test_the_query_is_cut_at_the_characters_of_the_settings(talk: Conversation) -> None:
    """A question of a million characters is cut: what stands behind the cut is not looked for."""
    long = "x " * 500_000
    assert not recalled(talk, f"{'x ' * 1_200}walnuts")
    assert recalled(talk, f"{'x ' * 900}walnuts {'x ' * 100}")
    assert recalled(talk, f"{'x ' * 1_200}walnuts", QuerySettings(characters=3_000))
    request = talk.request(
        f"walnuts {long}", budget=Budget(window=2_000_000, answer=0), strategy="seats"
    )
    assert "lexical" == getattr(request.ledger.memory(1), "reason", None)


def test_earlier_turns_are_no_part_of_the_query_by_default(talk: Conversation) -> None:
    """The backdrop is a setting: with one turn of it the words of that turn are looked for."""
    talk.append(user="I bought walnuts.", assistant="Careful.")
    assert not recalled(talk, "Shall we go on?")
    assert recalled(talk, "Shall we go on?", QuerySettings(backdrop=1))


def test_a_prefix_for_an_embedder_is_not_looked_for_as_words(talk: Conversation) -> None:
    """``prefix`` is for what is embedded."""
    assert not recalled(talk, "Shall we go on?", QuerySettings(prefix="walnuts: "))
