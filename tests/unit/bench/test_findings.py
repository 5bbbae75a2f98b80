"""Findings say in a line each what leaked and since when, and what is missing."""

from palimpsest.bench.findings import findings
from tests.support.suites import made, meeting, point, run, turn


def test_a_leak_names_fact_checkpoint_and_the_turn_that_ended_it() -> None:
    """A leaked fact says since when it should have been gone."""
    assert [
        ("forgotten", "recent still sends '4711' at turn 5: forgotten at turn 4"),
        ("stale", "recent still sends 'room is Alder' at turn 5: replaced at turn 3"),
    ] == [(f.severity, f.text) for f in findings(run(meeting(), ["recent"]))]


def test_a_strategy_without_a_fault_says_so() -> None:
    """Clean is told as a finding, with the number of facts it is about."""
    assert [("clean", "managed sends all 3 required facts and nothing replaced or forgotten")] == [
        (f.severity, f.text) for f in findings(run(meeting(), ["managed"]))
    ]


def test_few_missing_facts_are_named() -> None:
    """Up to two missing facts stand in the line by name."""
    suite = made([turn(1, "The room is Alder."), turn(2, "x " * 99)], [point(2, ["Alder"])], 50)
    assert ["recent misses 'Alder' at turn 2"] == [f.text for f in findings(run(suite, ["recent"]))]


def test_many_missing_facts_are_counted() -> None:
    """More are counted, with the checkpoints at which none is left."""
    words = "One two three four."
    suite = made(
        [turn(1, words), turn(2, "x " * 99), turn(3, "Five.")],
        [point(1, ["One"]), point(2, ["One", "two"]), point(3, ["three", "four", "Five"])], 50,
    )  # fmt: skip
    assert ["recent misses 4 of 6 required facts; none is left at turn 2"] == [
        f.text for f in findings(run(suite, ["recent"]))
    ]


def test_a_leak_at_several_checkpoints_is_one_line() -> None:
    """The same leak is told once, with all its checkpoints."""
    turns = [turn(1, "Pin 4711.", "remember"), turn(2, "Forget it.", "forget"), turn(3, "Hm.")]
    suite = made(turns, [point(2, deleted=["4711"]), point(3, deleted=["4711"])])
    assert ["recent still sends '4711' at turns 2 and 3: forgotten at turn 2"] == [
        f.text for f in findings(run(suite, ["recent"]))
    ]
