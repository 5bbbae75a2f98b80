"""What is kept of a failed or overtaken reading outlives a forget, so it repeats nothing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from palimpsest import Memory
from palimpsest.conversation import Conversation
from palimpsest.errors import ModelError
from palimpsest.proposals import Seen
from tests.support.proposing import Proposing


@pytest.fixture
def talk() -> Iterator[Conversation]:
    with Memory.open(":memory:") as memory:
        yield memory.conversation(user="ana", id="trip")


@pytest.mark.parametrize("quoting", ["the answer holds 441799", "got: 'my door code, keep it'"])
def test_an_error_that_quotes_the_turn_is_kept_by_its_code_alone(
    talk: Conversation, quoting: str
) -> None:
    """A model's error may quote its answer, and the answer the user."""
    talk.observe(user="My PIN is 441799, and my door code, keep it, is blue.", assistant="Noted.")
    (failed,) = talk.reflect(extractor=Proposing(fails=ModelError(quoting)))
    assert ModelError.code == failed.error


def test_an_error_in_its_own_words_is_kept_whole(talk: Conversation) -> None:
    """What went wrong stays readable."""
    talk.observe(user="My PIN is 441799.", assistant="Noted.")
    (failed,) = talk.reflect(extractor=Proposing(fails=ModelError("the server did not answer")))
    assert f"{ModelError.code}: the server did not answer" == failed.error


def test_what_was_shown_and_then_forgotten_is_not_proposed(talk: Conversation) -> None:
    """An extractor that copies a shown memory into its proposal reads anew after a forget."""
    talk.remember("The safe opens with 771234", attribute="safe")
    talk.observe(user="Note what opens it once more.", assistant="Noted.")
    shown: list[int] = []

    class Copying(Proposing):
        def extract(self, seen: Seen, config: object) -> object:
            shown.append(len(seen.memories))
            text = seen.memories[0].text if seen.memories else seen.turn.user
            if seen.memories:
                talk.forget(attribute="safe")
            self.plan = {1: [{"text": text}]}
            return super().extract(seen, config)  # type: ignore[arg-type]

    talk.reflect(extractor=Copying())
    assert [1, 0] == shown
    assert not [row for row in talk.current() if "771234" in row.text]


def test_two_readings_at_once_are_committed_once(talk: Conversation) -> None:
    """The first to commit wins; the other adds nothing."""
    talk.observe(user="I live in Oslo.", assistant="Noted.")
    inner: list[int] = []

    def also(seen: Seen) -> None:
        if not inner:
            inner.append(1)
            inner.append(len(talk.reflect(extractor=Proposing())))

    assert () == talk.reflect(extractor=Proposing(before=also))
    assert [1, 1] == inner
    assert ([1], 1) == ([row.seen for row in talk.current()], len(talk.verdicts()))


def test_a_correction_keeps_the_reach_and_the_pin_of_what_it_replaces(talk: Conversation) -> None:
    """A global or pinned fact does not shrink because its newer wording does not say so."""
    talk.observe(user="I work at Acme.", assistant="Noted.")
    talk.reflect(extractor=Proposing({1: [{"reach": "global"}]}))
    talk.pin(1)
    talk.observe(user="I work at Globex now.", assistant="Noted.")
    talk.reflect(extractor=Proposing({2: [{"op": "correct", "targets": (1,)}]}))
    (row,) = talk.current()
    assert ("global", True) == (row.reach, row.pinned)
