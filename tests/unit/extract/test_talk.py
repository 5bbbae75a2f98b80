"""How people talk in six languages: what each turn proposes, and which memory it means.

The turns were used while the grammars were written: they guard, and measure no accuracy.
"""

from __future__ import annotations

import functools

import pytest

from palimpsest.config import Config
from palimpsest.extract import grammar
from palimpsest.extract.rules import Rules
from palimpsest.proposals import Proposal, Seen
from palimpsest.types import Memory, Message, Scope, Turn
from tests.support import talk

GROUPS = (
    "statements", "preferences and rules", "plans and obligations", "about others", "corrections",
    "forget requests", "nothing", "asked to keep", "more corrections", "more forget requests",
    "other ways", "talk about the talk", "others' words and minutes", "changes of one thing",
    "forgetting by topic", "told in passing",
)  # fmt: skip


def proposed(user: str, known: tuple[Memory, ...] = ()) -> tuple[Proposal, ...]:
    """What is proposed of one turn beside some memories."""
    said = (Message(role="user", content=user), Message(role="assistant", content="Noted."))
    turn = Turn(number=1, messages=said)
    seen = Seen(turn=turn, memories=known, said_at="2026-11-30T12:00:00Z")
    return Rules().extract(seen, Config()).proposals


@functools.cache
def remembered(*texts: str) -> tuple[Memory, ...]:
    """Memories as the rules themselves would have made them, with ids from 1."""
    scope = Scope(user="ana", conversation="one")
    return tuple(
        Memory(
            id=number, scope=scope, text=text, source="api",
            attribute=found[0].attribute if found else None,
            value=found[0].value if found else None,
        )
        for number, text in enumerate(texts, 1)
        for found in [[made for made in proposed(text) if made.op != "forget"]]
    )  # fmt: skip


@pytest.mark.parametrize("language", talk.LANGUAGES)
def test_talk(language: str) -> None:
    """Every turn proposes what is expected of it, in its order, and names what it means."""
    found = {
        said.text: (said.wanted, talk.line(said.wanted, proposed(said.text, remembered(*said.known))))
        for said in talk.turns(language)
    }  # fmt: skip
    assert {} == {text: pair for text, pair in found.items() if pair[0] != pair[1]}


@pytest.mark.parametrize("language", talk.LANGUAGES)
def test_talk_is_whole(language: str) -> None:
    """Each language has at least 110 turns and something in every group."""
    counts = talk.counts(language)
    assert counts.total() >= 110
    assert sorted(GROUPS) == sorted(counts)


def test_every_language_has_a_corpus() -> None:
    """A grammar comes with its talk."""
    assert grammar.names() == talk.LANGUAGES


@pytest.mark.parametrize("language", talk.LANGUAGES)
def test_without_accents(language: str) -> None:
    """A request to forget is one without its accents too, as many type it."""
    asked = [
        said for said in talk.turns(language)
        if said.group.endswith("forget requests") and len(said.wanted) == 1
    ]  # fmt: skip
    assert [] == [
        said.text for said in asked
        if [made.op for made in proposed(grammar.bare(said.text), remembered(*said.known))][:1]
        != ["forget"]
    ]  # fmt: skip
