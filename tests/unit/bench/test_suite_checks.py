"""A suite whose texts make a checkpoint impossible or unfair is refused."""

from typing import Any

import pytest

from palimpsest.errors import InputError
from tests.support.suites import data, made, point, read, turn

ROOM = turn(1, "The room is Alder.", "remember", "room", assistant="Alder, gladly.")


def refused(turns: list[Any], points: list[Any] | None = None) -> str:
    with pytest.raises(InputError) as caught:
        read(data(turns, points or [point(1)]))
    return str(caught.value).removeprefix("small.json: ")


@pytest.mark.parametrize(
    ("numbers", "told"),
    [
        ((1, 1), "turns[1].turn: 1 stands twice"),
        ((1, 2, 2), "turns[2].turn: 2 stands twice"),
        ((1, 2, 3, 1), "turns[3].turn: 1 comes after 3"),
        ((1, 3), "turns[1].turn: 3 leaves a gap, 2 is next"),
        ((2,), "turns[0].turn: 2 leaves a gap, 1 is next"),
    ],
)
def test_turns_count_from_one_without_gaps(numbers: tuple[int, ...], told: str) -> None:
    """Duplicate, unordered and skipped numbers are refused: request lines cite them."""
    assert told in refused([turn(number, "Words.") for number in numbers])


@pytest.mark.parametrize(
    ("afters", "told"),
    [
        ((1, 1), "checkpoints[1].after: 1 stands twice"),
        ((2, 1), "checkpoints[1].after: 1 comes after 2"),
        ((3,), "checkpoints[0].after: 3, but the last turn is 2"),
    ],
)
def test_checkpoints_follow_the_turns(afters: tuple[int, ...], told: str) -> None:
    """Checkpoints go from early to late, once each, after turns that exist."""
    turns = [turn(1, "One."), turn(2, "Two.")]
    assert told in refused(turns, [point(after) for after in afters])


@pytest.mark.parametrize("op", ["correct", "forget"])
def test_a_label_changes_only_what_was_stated(op: str) -> None:
    """Correcting or forgetting what nothing stated is refused with what was stated."""
    told = refused([ROOM, turn(2, "No.", op, "rooom")])
    assert "turns[1].memory: " in told
    assert "which no turn before stated; stated so far: room" in told


@pytest.mark.parametrize("op", ["correct", "forget"])
def test_a_label_cannot_change_what_was_forgotten(op: str) -> None:
    """After a forget the attribute must be stated again before it can change."""
    turns = [ROOM, turn(2, "Forget it.", "forget", "room"), turn(3, "No.", op, "room")]
    assert "which was already forgotten; stated so far: none" in refused(turns)


def test_a_forgotten_attribute_may_be_stated_again() -> None:
    """Remember after forget starts a new life."""
    turns = [
        ROOM, turn(2, "Forget it.", "forget", "room"),
        turn(3, "The room is Elm.", "remember", "room"), turn(4, "Forget it.", "forget", "room"),
    ]  # fmt: skip
    assert 4 == len(made(turns, [point(4)]).turns)


def test_a_labelled_value_stands_in_its_turn() -> None:
    """A mistyped value would silently match nothing, so it is refused."""
    assert "turns[0].memory.value: 'Adler' is not said in turn 1" in refused(
        [turn(1, "The room is Alder.", "remember", value="Adler")]
    )


def test_a_forgotten_value_was_said_by_then() -> None:
    """The value of a forget label stands in that turn or before it."""
    forget = turn(2, "Forget it.", "forget", "room", value="Alder")
    assert 2 == len(made([ROOM, forget], [point(2)]).turns)
    forget["memory"]["value"] = "Elder"
    assert "'Elder' is not said up to this turn" in refused([ROOM, forget])


@pytest.mark.parametrize("kind", ["required", "stale", "deleted"])
def test_a_listed_fact_was_said_before_its_checkpoint(kind: str) -> None:
    """A typo in a listed fact is refused, whatever list it stands in."""
    told = refused([ROOM], [point(1, **{kind: ["room is Adler"]})])
    assert f"checkpoints[0].{kind}[0]: 'room is Adler' is not said in turns 1 to 1" in told


def test_a_fact_that_comes_later_is_told_with_its_turn() -> None:
    """A fact said after the checkpoint names the turn that says it."""
    turns = [ROOM, turn(2, "Lunch is at noon.")]
    assert "'noon' is first said at turn 2, after the checkpoint at turn 1" in refused(
        turns, [point(1, ["noon"])]
    )


def test_a_required_fact_is_not_the_assistants_only() -> None:
    """The assistant's words cannot be required, since no memory quotes them."""
    told = refused([ROOM], [point(1, ["gladly"])])
    assert "'gladly' is said by the assistant only" in told


def test_a_forgotten_value_may_be_the_assistants() -> None:
    """A leak is a leak whoever said the value."""
    assert 1 == len(made([ROOM], [point(1, deleted=["Alder, gladly"])]).checkpoints)


def test_a_fact_must_stand_in_one_text() -> None:
    """Words of two turns make no fact: no message could hold them together."""
    turns = [turn(1, "The room"), turn(2, "is Alder.")]
    assert "is not said" in refused(turns, [point(2, ["The room\nis Alder."])])


def test_a_fact_is_listed_once() -> None:
    """A fact in two lists of one checkpoint would be wanted and unwanted."""
    told = refused([ROOM], [point(1, ["Alder"], ["Alder"])])
    assert "checkpoints[0].stale[0]: 'Alder' is already in required[0]" in told


def test_a_blank_fact_is_refused() -> None:
    """A blank stands in every request and grades nothing."""
    assert "stands in every request" in refused([ROOM], [point(1, [" "])])


def test_an_unwanted_fact_may_not_stand_inside_a_wanted_one() -> None:
    """TKT-100 inside TKT-1000 would fail every request; TKT-100. would not."""
    turns = [
        turn(1, "It is TKT-100.", "remember"), turn(2, "It is TKT-1000.", "correct"),
    ]  # fmt: skip
    assert "stands inside the required 'TKT-1000'" in refused(
        turns, [point(2, ["TKT-1000"], ["TKT-100"])]
    )
    assert 1 == len(made(turns, [point(2, ["TKT-1000"], ["TKT-100."])]).checkpoints)


@pytest.mark.parametrize("kind", ["required", "stale", "deleted"])
def test_a_fact_in_the_instructions_or_the_question_is_refused(kind: str) -> None:
    """It stands in every request whatever a strategy does, so it would be graded wrong."""
    asked = {**point(1), "required": [], kind: ["Alder"], "question": "Is it Alder?"}
    assert f"checkpoints[0].{kind}[0]: 'Alder' stands in the question" in refused([ROOM], [asked])
    told = {**data([ROOM], [{**point(1), "required": [], kind: ["Alder"]}]),
            "instructions": "Think of Alder."}  # fmt: skip
    with pytest.raises(InputError, match="'Alder' stands in the instructions"):
        read(told)
