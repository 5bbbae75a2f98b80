"""Why a text is in a request or not: memories first, then what was said, then nothing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from palimpsest import Budget, Memory
from palimpsest.conversation import Conversation
from palimpsest.tokens.local import LocalTokenizer
from palimpsest.why_text import MOST, matching, of_text


@pytest.fixture
def talk(chatml: LocalTokenizer) -> Iterator[Conversation]:
    with Memory.open(":memory:", tokenizer=chatml) as memory:
        yield memory.conversation(user="me", id="default")


def test_words_in_any_order_and_the_name_of_an_attribute_find(talk: Conversation) -> None:
    """A text word for word goes before one that only has the words."""
    talk.remember("The deploy runs on Friday.", attribute="deploy-day")
    talk.remember("Friday is when we deploy the site.")
    talk.remember("我喜欢北京烤鸭。")
    rows = talk.visible()
    assert [1] == [row.id for row in matching(rows, "deploy  RUNS")]
    assert [1] == [row.id for row in matching(rows, "deploy-day")]
    assert [1, 2] == [row.id for row in matching(rows, "Friday deploy")]
    assert [3] == [row.id for row in matching(rows, "烤鸭")]
    talk.remember("Room 17 is taken.")
    talk.remember("Room 1799 is free.")
    assert [4] == [row.id for row in matching(talk.visible(), "room 17")]
    assert [5] == [row.id for row in matching(talk.visible(), "room 179")]
    assert [] == matching(rows, "site Porto") + matching(rows, "  ")


def test_a_replaced_memory_is_found_with_what_replaced_it(talk: Conversation) -> None:
    """The old value answers, too: that is what people ask about."""
    talk.remember("The town is Porto.", attribute="town")
    talk.correct("The town is Lisbon.", attribute="town")
    talk.request("Which?", budget=Budget(window=2000, answer=0), strategy="seats")
    (found,) = of_text(talk, "Porto").memories
    assert found.requests[0].entry
    assert (1, "superseded") == (found.id, found.requests[0].entry.reason)


def test_the_newest_places_come_first_and_the_rest_is_counted(talk: Conversation) -> None:
    """A word that is everywhere fills no screen."""
    for number in range(8):
        talk.append(user=f"Town {number}?", assistant="Yes, that town.")
    found = of_text(talk, "town")
    assert ([8, 8, 7, 7, 6], 16 - MOST) == ([said.turn for said in found.said], found.more)
    assert [("user", ""), ("assistant", "")] == sorted(
        {(said.by, said.read) for said in found.said}, reverse=True
    )


def test_what_was_forgotten_leaves_no_words(talk: Conversation) -> None:
    """It is nowhere, and only how many went is told."""
    talk.append(user="My PIN is 4417.", assistant="Noted.")
    memory = talk.remember("My PIN is 4417.", turn=1)
    talk.forget(id=memory.id)
    found = of_text(talk, "4417")
    assert ((), (), 1) == (found.memories, found.said, found.forgotten)
