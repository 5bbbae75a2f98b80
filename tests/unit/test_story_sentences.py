"""The story after a correction or a forget: whole sentences, and nothing that was replaced."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from palimpsest import Memory
from palimpsest.conversation import Conversation
from palimpsest.proposals import Extraction
from tests.support.telling import CONFIG, Telling, position, read, tell

PORT = "The port is 8080."
TALE = "They met on a Monday. They set the port to 8080, after some debate. Then it rained."


@pytest.fixture
def talk() -> Iterator[Conversation]:
    with Memory.open(":memory:", config=CONFIG) as memory:
        yield memory.conversation(user="ana", id="tale")


def corrected(talk: Conversation, told: Extraction) -> None:
    """The port is told, read into a story, and corrected."""
    tell(talk, (PORT, told))
    talk.remember(PORT, attribute="port", turn=1)
    talk.correct("The port is 9090.", attribute="port")


def test_a_correction_takes_the_whole_sentence_out_of_the_summary(talk: Conversation) -> None:
    """Nothing like "They set the port to , after some debate" is left."""
    corrected(talk, Extraction(summary=TALE))
    assert "They met on a Monday. Then it rained." == talk.story().summary


def test_a_forget_takes_whole_sentences_out_of_the_story(talk: Conversation) -> None:
    """Of the summary and of an anchor of several sentences; nobody sees a hole."""
    said = "We chose well. The port is 8080. All agreed."
    tell(talk, (said, Extraction(summary=TALE, anchors=(said,))))
    talk.remember(PORT, attribute="port")
    talk.forget(attribute="port")
    story = talk.story()
    assert "They met on a Monday. Then it rained." == story.summary
    assert ["We chose well. All agreed."] == [anchor.text for anchor in story.anchors]


def test_a_current_statement_that_names_the_old_value_is_told_on(talk: Conversation) -> None:
    """ "Switch to 9090 instead of 8080" is current: its sentence stays, the old one goes."""
    tell(talk, (PORT, Extraction(summary="The port is 8080. Use 9090 instead of 8080. Fine.")))
    talk.remember(PORT, attribute="port", turn=1)
    talk.correct("Use 9090 instead of 8080.", attribute="port")
    assert "Use 9090 instead of 8080. Fine." == talk.story().summary


def test_a_summary_that_tells_a_replaced_value_again_loses_that_sentence(
    talk: Conversation,
) -> None:
    """A model that copies its old summary brings nothing back, and the verdict says so."""
    corrected(talk, Extraction(summary=TALE))
    made = read(talk, ("Go on.", Extraction(summary=TALE)))
    assert [
        ("reject", "replaced", "They set the port to 8080, after some debate."),
        ("add", "summary", "They met on a Monday. Then it rained."),
    ] == [(verdict.action, verdict.rule, verdict.text) for verdict in made]
    assert "8080" not in talk.story().summary


def test_a_summary_of_nothing_else_leaves_the_old_one(talk: Conversation) -> None:
    """What is left of it would be empty."""
    corrected(talk, Extraction(summary=TALE))
    assert [("reject", "replaced")] == tell(talk, ("Go on.", Extraction(summary=PORT)))
    assert "They met on a Monday. Then it rained." == talk.story().summary


def test_an_old_turn_that_is_read_late_anchors_nothing_replaced(talk: Conversation) -> None:
    """It was corrected before anybody read it: no anchor, no position and no summary tells it."""
    talk.observe(user=PORT, assistant="Noted.")
    talk.remember(PORT, attribute="port", turn=1)
    talk.correct("The port is 9090.", attribute="port")
    late = Extraction(summary="They use 8080.", anchors=(PORT,),
                      positions=position("Ports matter.", "The port is 8080").positions)  # fmt: skip
    (done,) = talk.reflect(extractor=Telling(late))
    assert [("reject", "replaced")] * 3 == [(v.action, v.rule) for v in done.verdicts]
    assert ((), (), "") == (
        talk.story().anchors, talk.story().positions, talk.story().summary,
    )  # fmt: skip


def test_a_position_goes_with_the_words_that_it_rested_on(talk: Conversation) -> None:
    """Its evidence was corrected, so nothing supports it any more."""
    corrected(talk, position("Low ports are fine.", "The port is 8080"))
    assert () == talk.story().positions
