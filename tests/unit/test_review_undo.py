"""What accepting a waiting verdict did can be undone: it waits again, as if nobody had said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from palimpsest import Memory
from palimpsest.config import Config
from palimpsest.conversation import Conversation
from palimpsest.errors import InputError
from palimpsest.settings import ReflectionSettings
from tests.support.proposing import Proposing

Plan = Mapping[int, Sequence[Mapping[str, Any]]]
TUESDAY, THURSDAY = "The review is on Tuesday.", "The review is on Thursday."
REVIEW: Plan = {n: [{"attribute": "review"}] for n in (1, 2)}


@pytest.fixture
def talk() -> Iterator[Conversation]:
    with Memory.open(":memory:") as memory:
        yield memory.conversation(user="ana", id="trip")


def read(talk: Conversation, plan: Plan, *said: str) -> None:
    for text in said:
        talk.observe(user=text, assistant=f"Noted: {text}")
    talk.reflect(extractor=Proposing(plan))


def state(talk: Conversation) -> Any:
    """What a person would see: rows, what waits, and what is sent of the transcript."""
    rows = [(row.id, row.text, row.superseded_by) for row in talk.visible()]
    return rows, [(v.id, v.rule, v.text) for v in talk.review()], talk.story()


def test_an_accepted_conflict_is_a_conflict_again(talk: Conversation) -> None:
    """Both statements are current, both are in the transcript; then the add can be undone too."""
    read(talk, REVIEW, TUESDAY, THURSDAY)
    before = state(talk)
    talk.accept(2)
    assert [2] == [row.id for row in talk.current()]
    assert talk._store.redactions.of(talk.scope, 1)
    assert None is talk.undo(2).settled
    assert before == state(talk)
    assert () == talk._store.redactions.of(talk.scope, 1)
    assert "undone" == talk.undo(2).settled
    assert [TUESDAY] == [row.text for row in talk.current()]


def test_an_accepted_proposal_waits_again() -> None:
    """The row is gone; it can be accepted once more, or dismissed."""
    config = Config(reflection=ReflectionSettings(review="proposals"))
    with Memory.open(":memory:", config=config) as memory:
        talk = memory.conversation(user="ana", id="trip")
        read(talk, {}, "I live in Oslo.")
        before = state(talk)
        for _ in range(2):
            talk.accept(1)
            assert ["I live in Oslo."] == [row.text for row in talk.current()]
            talk.undo(1)
            assert before == state(talk)
        assert "dismissed" == talk.dismiss(1).settled
        with pytest.raises(InputError, match="dismissed already"):
            talk.undo(1)


def test_an_accepted_correction_waits_again(talk: Conversation) -> None:
    """What it had replaced is current again, and both candidates may be meant."""
    plan: Plan = {1: [{"attribute": "work phone"}], 2: [{"attribute": "home phone"}],
            3: [{"op": "correct", "targets": (1, 2)}]}  # fmt: skip
    read(talk, plan, "My work phone is 220 555 014.", "My home phone is 220 555 999.",
         "My phone is 220 555 777 now.")  # fmt: skip
    before = state(talk)
    talk.accept(3, memory=2)
    assert before != state(talk)
    talk.undo(3)
    assert before == state(talk)


def test_a_later_verdict_on_the_accepted_memory_is_undone_first(talk: Conversation) -> None:
    """A correction of what was accepted stands in the way."""
    read(talk, REVIEW, TUESDAY, THURSDAY)
    talk.accept(2)
    read(talk, {3: [{"op": "correct", "attribute": "review"}]}, "The review is on Friday.")
    with pytest.raises(InputError, match="undo 3 first"):
        talk.undo(2)
    talk.undo(3)
    assert None is talk.undo(2).settled


def test_an_accepted_forget_cannot_be_undone(talk: Conversation) -> None:
    """What it deleted is nowhere."""
    plan: Plan = {1: [{"attribute": "work phone"}], 2: [{"attribute": "home phone"}],
            3: [{"op": "forget", "targets": (1, 2)}]}  # fmt: skip
    read(talk, plan, "My work phone is 220 555 014.", "My home phone is 220 555 999.", "Forget it.")
    talk.accept(3, memory=2)
    with pytest.raises(InputError, match="a forget, which cannot be undone"):
        talk.undo(3)


def test_what_was_accepted_and_forgotten_cannot_be_undone(talk: Conversation) -> None:
    """The record of it is erased with the words."""
    read(talk, REVIEW, TUESDAY, THURSDAY)
    talk.accept(2)
    talk.forget(id=2)
    with pytest.raises(InputError):
        talk.undo(2)
    assert () == talk.visible()
