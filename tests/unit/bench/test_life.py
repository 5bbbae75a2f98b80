"""The life of a fact: who stated it, repeated it, replaced or withdrew it."""

from palimpsest.bench import life
from palimpsest.bench.life import End
from tests.support.suites import made, meeting, point, turn

AGAIN = made(
    [
        turn(1, "The review is on Tuesday.", "remember", "review"),
        turn(2, "The review is on Thursday.", "correct", "review"),
        turn(3, "The review is on Tuesday.", "correct", "review"),
        turn(4, "Forget the review.", "forget", "review"),
        turn(5, "The review is on Tuesday.", "remember", "review"),
        turn(6, "The review is on Tuesday.", "remember", "review", assistant="Tuesday, again."),
    ],
    [point(6, ["Tuesday"])],
)


def test_events_tell_the_whole_life_of_an_attribute() -> None:
    """Statement, corrections, forget request, statement anew and repetition are told apart."""
    assert [
        (1, "stated"), (2, "corrected"), (3, "corrected"), (4, "asked to forget"),
        (5, "restated"), (6, "repeated"), (6, "quoted"),
    ] == [(e.turn, e.kind) for e in life.events(AGAIN, "review", ("Tuesday",))]  # fmt: skip


def test_a_mention_outside_the_labels_is_quoted_with_its_role() -> None:
    """An assistant that repeats a value is part of the fact's life."""
    events = life.events(meeting(), "room", ("Alder",))
    assert [("user", "stated"), ("assistant", "quoted"), ("user", "corrected")] == [
        (event.role, event.kind) for event in events
    ]


def test_a_fact_ends_where_it_is_replaced_or_forgotten() -> None:
    """The end names the turn and the kind; a fact that holds has none."""
    assert End(turn=3, kind="replaced") == life.end_of(meeting(), "room is Alder", 5)
    assert End(turn=4, kind="forgotten") == life.end_of(meeting(), "4711", 5)
    assert life.end_of(meeting(), "Birch & Co.", 5) is None


def test_a_fact_has_not_ended_before_its_end() -> None:
    """What is asked for an early checkpoint ignores later turns."""
    assert life.end_of(meeting(), "room is Alder", 2) is None


def test_a_fact_stated_again_has_not_ended() -> None:
    """A correction back, or a statement after a forget, makes the fact current again."""
    assert [None, ("replaced", 2), None, ("forgotten", 4), None] == [
        (end.kind, end.turn) if (end := life.end_of(AGAIN, "Tuesday", after)) else None
        for after in (1, 2, 3, 4, 5)
    ]


def test_a_fact_belongs_to_the_attribute_that_states_it() -> None:
    """The labelled turn whose user says the fact owns it."""
    assert "room" == life.attribute_of(meeting(), "Birch")
    assert life.attribute_of(meeting(), "noon") is None


def test_the_facts_of_an_attribute_are_its_listed_ones() -> None:
    """Where no checkpoint lists a fact of an attribute, its statements stand for it."""
    assert ("room is Alder", "Birch & Co.") == life.facts_of(meeting(), "room")
    unlisted = made([turn(1, "My pin is 4711.", "remember", "pin")], [point(1)])
    assert ("My pin is 4711.",) == life.facts_of(unlisted, "pin")
