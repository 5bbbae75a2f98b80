"""A request to forget always acts: on a memory, on what was said, or before a person's eyes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from palimpsest import Memory
from palimpsest.conversation import Conversation
from palimpsest.errors import Ambiguous, InputError, NotFound


@pytest.fixture
def talk() -> Iterator[Conversation]:
    with Memory.open(":memory:") as opened:
        yield opened.conversation(user="ana", id="trip")


def said(talk: Conversation, user: str, assistant: str = "Noted.") -> list[tuple[str, str]]:
    """The verdicts on one turn, read by the rules."""
    talk.observe(user=user, assistant=assistant)
    read = talk.reflect(extractor="rules")
    return [(v.action, v.rule) for reading in read for v in reading.verdicts]


def transcript(talk: Conversation) -> str:
    return "\n".join(text for turn in talk.turns() for m in turn.messages for text in m.texts())


def test_a_value_that_no_memory_holds(talk: Conversation) -> None:
    """A code that was only asked about leaves every turn, the answers and the request too."""
    said(talk, "Does the code 4471-B open the shed?", "Yes, 4471-B does.")
    assert [("forget", "forget-value")] == said(talk, "Please forget the code 4471-B.", "Gone.")
    assert "4471-B" not in transcript(talk)
    assert [0] == [deletion.rows for deletion in talk.deletions()]


def test_a_description_that_no_memory_meets(talk: Conversation) -> None:
    """It waits where a person sees it, and goes when the memory is named."""
    said(talk, "I earn a lot.")
    assert [("review", "unresolved-forget")] == said(talk, "Please forget my shoe size.")
    (waiting,) = talk.review()
    assert "" == waiting.text
    with pytest.raises(Ambiguous, match="--memory"):
        talk.accept(waiting.id)
    talk.accept(waiting.id, memory=1)
    assert ((), ()) == (talk.current(), talk.review())


def test_several_that_may_be_meant(talk: Conversation) -> None:
    """Nothing goes before one of them is named."""
    said(talk, "My work number is 220 555 014.")
    said(talk, "My home number is 220 555 999.")
    assert [("review", "ambiguous-forget")] == said(talk, "Forget my number.")
    assert 2 == len(talk.current())


def test_two_in_one_sentence(talk: Conversation) -> None:
    """Each thing that is named goes."""
    said(talk, "My PIN is 4417.")
    said(talk, "My passport number is X1234567.")
    forgets = said(talk, "Forget my PIN and my passport number.")
    assert [("forget", "forget-request")] * 2 == forgets
    assert () == talk.current()


def test_what_was_just_said(talk: Conversation) -> None:
    """ "Forget what I just told you" means the turn before."""
    said(talk, "I live in Oslo.")
    said(talk, "My PIN is 4417.")
    assert [("forget", "forget-request")] == said(talk, "Forget what I just told you.")
    assert ["I live in Oslo."] == [memory.text for memory in talk.current()]
    assert "4417" not in transcript(talk)


def test_taken_back_at_once(talk: Conversation) -> None:
    """What a turn states and takes back is not remembered and does not stay in the turn."""
    verdicts = said(talk, "My PIN is 4417. Forget that.", "Fine.")
    assert [("forget", "forget-value")] == verdicts
    assert () == talk.current()
    assert "4417" not in transcript(talk)


def test_an_edit_is_no_request(talk: Conversation) -> None:
    """Deleting a paragraph is work on a text."""
    assert [] == said(talk, "Delete the second paragraph.")


def test_a_forget_is_not_undone(talk: Conversation) -> None:
    """A value that went stays gone."""
    said(talk, "Is 4471-B the code?", "It is.")
    said(talk, "Forget 4471-B.")
    with pytest.raises(InputError):
        talk.undo(1)


@pytest.mark.parametrize("named", [{"value": "4471-B"}, {"attribute": "shed"}, {"id": 9}])
def test_a_plan_for_what_is_not_there_says_so(talk: Conversation, named: dict[str, Any]) -> None:
    """As the forget itself does; a rehearsal hides no error."""
    for asked in (talk.plan_forget, talk.forget):
        with pytest.raises(NotFound):
            asked(**named)
