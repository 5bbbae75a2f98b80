"""evidence: the turn and the sentence behind a fact that is there, or is not."""

from palimpsest.bench.evidence import evidence
from tests.support.suites import made, meeting, point, run, turn


def test_a_leak_names_its_end_its_turn_and_its_sentence() -> None:
    """Where it was forgotten, and every place that still sends it."""
    told = evidence(run(meeting()), strategy="recent", after=5, variant="", fact="4711")
    assert (
        "forgotten at turn 4, sent in turn 2 (user) 'My pin is 4711.'; "
        "turn 4 (user) 'Forget my pin 4711.'"
    ) == told


def test_a_quoted_line_is_shown_as_it_is_sent() -> None:
    """A fact in the block comes with its line."""
    told = evidence(run(meeting(90)), strategy="append-only", after=5, variant="", fact="4711")
    assert "facts, line '- [#2, turn-2] My pin is 4711.'" in told


def test_a_lost_fact_names_who_said_it_and_why_each_copy_is_absent() -> None:
    """The turn that stated it, and the reason of the ledger."""
    told = evidence(run(meeting(28)), strategy="recent", after=5, variant="", fact="Birch & Co.")
    assert told.startswith("said at turn 3 'The room is Birch & Co.'; not sent: turn 3 is ")


def test_only_the_sentence_is_shown_and_a_long_one_is_cut_around_the_fact() -> None:
    """Nobody reads a pasted document in a finding, but the fact must stand in it."""
    paste = "Hello there. " + "word " * 90 + "pin 4711 " + "word " * 90 + "end. Bye."
    suite = made([turn(1, paste)], [point(1, ["4711"])])
    told = evidence(run(suite), strategy="recent", after=1, variant="", fact="4711")
    assert "pin 4711" in told
    assert "Hello" not in told
    assert len(told) < 240
