"""The story: what a model may change of it, and what the code holds against it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from palimpsest import Budget, Memory
from palimpsest.config import Config
from palimpsest.conversation import Conversation
from palimpsest.errors import ConfigError
from palimpsest.proposals import AnchorRemoval, Delta, Extraction, Position
from palimpsest.protocols import Tokenizer
from palimpsest.settings import StorySettings
from palimpsest.write.story import fields
from tests.support.telling import CONFIG, position, tell


@pytest.fixture
def talk(gemma: Tokenizer) -> Iterator[Conversation]:
    with Memory.open(":memory:", tokenizer=gemma, config=CONFIG) as memory:
        yield memory.conversation(user="ana", id="tale")


def sent(talk: Conversation, **kw: Any) -> str:
    request = talk.request("And now?", budget=Budget(window=400, answer=50), **kw)
    assert sum(request.ledger.parts.values()) == request.tokens
    return request.sent[-1].content or ""


def test_a_fact_that_the_summary_drops_survives_through_its_anchor(talk: Conversation) -> None:
    """The summary is rewritten whole; what is anchored is sent even so."""
    tell(
        talk,
        ("The key lies under the third stone.", Extraction(
            summary="The key lies under the third stone.",
            anchors=("The key lies under the third stone.",))),
        ("It rained all day.", Extraction(summary="It rained.")),
    )  # fmt: skip
    assert "It rained." == talk.story().summary
    text = sent(talk)
    assert "The key lies under the third stone." in text
    assert "It rained." in text


def test_the_story_has_a_part_of_its_own(talk: Conversation) -> None:
    """Its tokens are counted as ``summary``; a quota of 0 sends none of it."""
    tell(talk, ("Hello there.", Extraction(summary="They met.")))
    budget = Budget(window=400, answer=50)
    assert talk.request("And now?", budget=budget).ledger.parts["summary"] > 0
    silent = Config(story=StorySettings(quota=0))
    assert "They met." not in str(talk.request("And now?", budget=budget, config=silent).messages)


def test_a_summary_that_is_too_long_is_sent_down_to_whole_sentences(talk: Conversation) -> None:
    """From its beginning, behind the anchors; none of it in part."""
    told = [f"On day {day} they walked from one village to the next." for day in range(1, 30)]
    tell(talk, ("The gate is locked.", Extraction(
        summary=" ".join(told), anchors=("The gate is locked.",))))  # fmt: skip
    text = sent(talk)
    found = [sentence in text for sentence in told]
    assert [True, False] == [found[0], found[-1]]
    assert found == sorted(found, reverse=True)
    (line,) = (line for line in text.splitlines() if line.startswith("- [summary] "))
    assert line.removeprefix("- [summary] ") == " ".join(told[: sum(found)])
    assert "The gate is locked." in text


def test_an_anchor_leaves_only_by_a_reason(talk: Conversation) -> None:
    """Without one it stays; with one it goes, and the reason is kept."""
    anchored = ("The gate is locked.", Extraction(anchors=("The gate is locked.",)))
    bare = ("Hm.", Extraction(dropped_anchors=(AnchorRemoval(id=1, reason=" "),)))
    told = ("It was opened.", Extraction(dropped_anchors=(AnchorRemoval(id=1, reason="opened"),)))
    assert [("add", "anchor"), ("reject", "anchor-without-reason"),
            ("supersede", "anchor-released")] == tell(talk, anchored, bare, told)  # fmt: skip
    assert () == talk.story().anchors


def test_an_anchor_is_the_users_own_words_and_has_a_place(talk: Conversation) -> None:
    """What the user never said is refused, a repetition is no second one, places are limited."""
    words = ("One is red.", "Two is blue.", "Three is grey.")
    told = Extraction(anchors=("Nobody said this.", *words, "One is red."))
    made = tell(talk, (" ".join(words), told))
    assert [("reject", "no-quote"), ("add", "anchor"), ("add", "anchor"), ("reject", "no-place"),
            ("merge", "exact")] == made  # fmt: skip


STANCE = "The sea keeps what it takes and gives nothing back."


def test_a_position_that_quotes_itself_is_not_validated(talk: Conversation) -> None:
    """Thirty characters in common are the text citing itself; other evidence anchors it anew."""
    made = tell(
        talk,
        ("My father was a sailor.", position(STANCE, "My father was a sailor.")),
        ("The sea keeps what it takes and gives nothing back, you say.", position(STANCE, "The sea keeps what it takes and gives nothing")),
    )  # fmt: skip
    assert [("add", "position"), ("reject", "self-citation")] == made
    assert [1] == [held.validated_turn for held in talk.story().positions]
    tell(talk, ("He drowned off Brest.", position(STANCE, "He drowned off Brest.")))
    assert [3] == [held.validated_turn for held in talk.story().positions]


def test_positions_age_and_give_up_their_places(talk: Conversation) -> None:
    """There are two places, and three turns without evidence are too many."""
    tell(talk, *(("Go on.", position("A view.", "Go on.", s)) for s in ("one", "two", "three")))
    assert ["two", "three"] == [held.subject for held in talk.story().positions]
    made = tell(talk, *(("Well.", Extraction()) for _ in range(3)))
    assert [("supersede", "position-gave-way")] == made
    assert ["three"] == [held.subject for held in talk.story().positions]


def test_state_moves_by_its_largest_step_within_its_range(talk: Conversation) -> None:
    """Steps are clamped, then values; a name that is no field is refused."""
    moves = [Extraction(deltas=(Delta(name="mood", step=9.0),)) for _ in range(3)]
    tell(talk, *(("Good news!", move) for move in moves[:1]))
    assert {"mood": 1.0} == dict(talk.story().state)
    made = tell(talk, *(("More!", move) for move in moves),
                ("Odd.", Extraction(deltas=(Delta(name="hunger", step=1.0),))))  # fmt: skip
    assert {"mood": 2.0} == dict(talk.story().state)
    assert ("reject", "unknown-state") == made[-1]


def test_many_small_steps_in_one_reading_are_one(talk: Conversation) -> None:
    """A model that repeats a change does not move a value further than one step."""
    moves = Extraction(deltas=tuple(Delta(name="mood", step=1.0) for _ in range(3)))
    made = tell(talk, ("Good news!", moves))
    assert [("add", "state"), *[("reject", "state-moved-already")] * 2] == made
    assert {"mood": 1.0} == dict(talk.story().state)


@pytest.mark.parametrize("step", [float("nan"), float("inf"), -float("inf"), 1e308])
def test_a_step_that_is_no_number_stays_within_its_bounds(talk: Conversation, step: float) -> None:
    """Whatever an extractor gives, the value is one in the range."""
    tell(talk, ("Hm.", Extraction(deltas=(Delta(name="mood", step=step),))))
    assert talk.story().state["mood"] in (-1.0, 1.0)


@pytest.mark.parametrize(
    "text",
    ["mood", "mood: 5..-5 step 1", "mood: 0..1", "mood: 0..1 step 0", "mood: 1.2.3..5 step 1"],
)
def test_a_state_field_that_is_none_is_told(text: str) -> None:
    """The form is shown."""
    with pytest.raises(ConfigError, match=r"mood: -5\.\.5 step 1"):
        fields([text])


def test_a_forget_reaches_the_story(talk: Conversation) -> None:
    """Summary, anchors and positions lose the value, and nothing else of the summary goes."""
    said = "My PIN is 4417."
    tell(talk, (said, Extraction(
        summary="They met. My PIN is 4417. It rained.", anchors=(said,),
        positions=(Position(subject="pins", text="4417 is weak.", justification="My PIN"),))))  # fmt: skip
    talk.remember(said, attribute="pin", turn=1)
    talk.forget(attribute="pin")
    story = talk.story()
    assert "4417" not in str(story)
    assert "They met. It rained." == story.summary
    assert ((), ()) == (story.anchors, story.positions)


def test_a_correction_reaches_the_story(talk: Conversation) -> None:
    """Neither the summary nor an anchor goes on telling what was replaced."""
    said = "The port is 8080."
    tell(talk, (said, Extraction(summary="They set the port to 8080.", anchors=(said,))))
    talk.remember(said, attribute="port", turn=1)
    talk.correct("The port is 9090.", attribute="port")
    assert "8080" not in sent(talk)
    assert () == talk.story().anchors


@pytest.mark.parametrize("evidence", ["", "I see.", "You seem to like jazz.", "fath"])
def test_a_position_rests_on_what_the_user_just_said(talk: Conversation, evidence: str) -> None:
    """The assistant's words, earlier words, half a word and no words are no evidence."""
    made = tell(talk, ("My father was a sailor.", position(STANCE, evidence)))
    assert [("reject", "no-evidence")] == made
    assert () == talk.story().positions


def test_an_anchor_is_whole_words(talk: Conversation) -> None:
    """A piece of a word that happens to stand in the turn is no quote."""
    made = tell(talk, ("The party starts at nine.", Extraction(anchors=("art", "e"))))
    assert [("reject", "no-quote")] * 2 == made
