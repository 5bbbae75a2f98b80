"""A trace finds one fact in every request, or says of each copy why it is not there."""

import dataclasses
import json
from typing import get_args

import pytest

from palimpsest.bench import sightings
from palimpsest.bench.trace import Fate, as_json, subject, trace
from palimpsest.config import Config, FactsSettings, NotesSettings
from palimpsest.errors import Ambiguous, NotFound
from palimpsest.ledger import MemoryEntry, MemoryReason, TurnEntry, TurnReason
from tests.support.suites import made, meeting, point, run, turn


def fate(strategy: str, fact: str, after: int, **kw: object) -> Fate:
    suite = kw.pop("suite", None) or meeting()
    found = trace(run(suite, **kw), subject(suite, fact))  # type: ignore[arg-type]
    at = next(at for at in found.facts[0].checkpoints if at.after == after)
    return next(fate for fate in at.fates if fate.strategy == strategy)


def told(found: Fate) -> list[str]:
    return [absence.text for absence in found.absences]


@pytest.mark.parametrize(
    ("name", "facts", "attribute"),
    [
        ("room is Alder", ("room is Alder",), "room"),
        ("room", ("room is Alder", "Birch & Co."), "room"),
        ("birch", ("Birch & Co.",), "room"),
        ("PI", ("4711",), "pin"),
        ("at noon", ("at noon",), None),
    ],
    ids=[
        "listed text",
        "attribute",
        "part of one fact",
        "part of one attribute",
        "words of a turn",
    ],
)
def test_a_fact_is_named_in_five_ways(name: str, facts: tuple[str, ...], attribute: str) -> None:
    """Listed text first, then attribute, then a part of either, then said words."""
    found = subject(meeting(), name)
    assert (facts, attribute) == (found.facts, found.attribute)


def test_a_name_that_fits_two_facts_is_not_guessed() -> None:
    """An ambiguous name lists its candidates."""
    suite = made([turn(1, "Room Alder, room Elm.")], [point(1, ["Room Alder", "room Elm"])])
    with pytest.raises(Ambiguous, match="fits 2 facts of 'small': 'Room Alder', 'room Elm'"):
        subject(suite, "oom")


def test_an_unknown_name_lists_what_is_known() -> None:
    """A name that fits nothing tells the facts and attributes of the suite."""
    with pytest.raises(NotFound) as caught:
        subject(meeting(), "Cedar")
    assert "'room is Alder', '4711', 'Birch & Co.'; attributes: room, pin" in str(caught.value)


def test_a_present_fact_names_its_messages_and_parts() -> None:
    """A fact in recent turns names the turn; one in the block names the quoted line."""
    seen = fate("managed", "Birch & Co.", 5).sightings
    assert [("turn", 3, None), ("facts", None, "- [#3, turn-3] The room is Birch &amp; Co.")] == [
        (s.part, s.turn, s.line) for s in seen
    ]
    assert seen[1].message == len(run(meeting()).rows["managed"][1].request.sent) - 1


def test_a_fact_in_question_or_instructions_is_told_as_such() -> None:
    """Words of the question and of the instructions are no turn and no memory."""
    turns = [turn(1, "The room is Alder.", "remember", "room")]
    plain = made(turns, [point(1, ["Alder"])])
    # A suite file that frames a fact is refused, so the framing is put around it here.
    asked = dataclasses.replace(plain.checkpoints[0], question="Is it Alder?")
    suite = dataclasses.replace(plain, checkpoints=(asked,), instructions="Alder is a tree.")
    parts = [s.part for s in fate("append-only", "Alder", 1, suite=suite).sightings]
    assert ["instructions", "turn", "facts", "question"] == parts


def test_a_replaced_fact_is_traced_to_its_end() -> None:
    """In managed the turn is redacted and the memory superseded, each with its place."""
    assert [
        "turn 1 is sent with its words redacted", "memory #1 was superseded by #3",
    ] == told(fate("managed", "room is Alder", 5))  # fmt: skip


def test_a_forgotten_fact_has_no_memory_left() -> None:
    """After a forget the memory is told as deleted, at the turn that asked for it."""
    absences = fate("managed", "pin is 4711", 5).absences
    assert ("memory:deleted", "its memory was deleted at turn 4") == (
        absences[-1].code, absences[-1].text,
    )  # fmt: skip


def test_a_turn_that_did_not_fit_is_told_apart_from_those_behind_it() -> None:
    """The first turn without room is named to explain the turns behind it."""
    config = Config(notes=NotesSettings(reserve=0))
    suite = meeting(window=24)
    first_out = fate("recent", "Birch & Co.", 5, suite=suite, config=config)
    assert ["turn 3 is the first that did not fit"] == told(first_out)
    behind = fate("recent", "room is Alder", 5, suite=suite, config=config)
    assert ["turn 1 is behind turn 3, which did not fit"] == told(behind)


def test_a_memory_without_room_is_told_with_its_size() -> None:
    """A fact line that the quota does not hold says its tokens."""
    config = Config(facts=FactsSettings(quota=6))
    found = fate("managed", "room is Alder", 2, suite=meeting(window=24), config=config)
    assert "memory #1 (7 tokens) found no room in the facts quota" in told(found)


def test_notes_tell_why_a_sentence_is_no_note() -> None:
    """A removed sentence without a cue word, and a note without room, are different reasons."""
    turns = [
        turn(1, "The room is Alder."), turn(2, "We must meet in Elm every single day."),
        turn(3, "x " * 60),
    ]  # fmt: skip
    suite = made(turns, [point(3, ["Alder", "Elm"])], window=100)
    no_cue = fate("notes", "Alder", 3, suite=suite)
    assert "no cue word makes a note of turn 1" in told(no_cue)
    note = fate("notes", "Elm", 3, suite=suite)
    assert ["notes"] == [seen.part for seen in note.sightings]
    tight = made(turns, [point(3, ["Elm"])], window=12)
    assert "the note of turn 2 found no room" in told(fate("notes", "Elm", 3, suite=tight))


def test_a_checkpoint_before_the_fact_has_no_entry() -> None:
    """A fact is traced from the first checkpoint that comes after it."""
    suite = meeting()
    found = trace(run(suite), subject(suite, "Birch & Co."))
    assert [5] == [at.after for at in found.facts[0].checkpoints]


def test_an_attribute_traces_each_of_its_facts_with_their_lists() -> None:
    """One life, several values, each as the checkpoints list it."""
    suite = meeting()
    found = trace(run(suite), subject(suite, "room"))
    assert [("room is Alder", ["required", "stale"]), ("Birch & Co.", ["required"])] == [
        (f.fact, [at.listed for at in f.checkpoints]) for f in found.facts
    ]
    json.dumps(as_json(found), allow_nan=False)


@pytest.mark.parametrize("strategy", ["seats", "hybrid", "relevant", "notes(step=2)"])
@pytest.mark.parametrize("window", [60, 90, 400])
def test_every_strategy_says_why_in_every_request(strategy: str, window: int) -> None:
    """No fact of any request is without a place or a reason, however small the window is."""
    suite = meeting(window)
    replayed = run(suite, (strategy,))
    for fact in ("room", "pin", "at noon"):
        for item in trace(replayed, subject(suite, fact)).facts:
            for at in item.checkpoints:
                for found in at.fates:
                    assert found.present == bool(found.sightings)
                    assert found.present or told(found) or at.listed is None


def _entry_turn(reason: TurnReason) -> TurnEntry:
    return TurnEntry(first=3, last=3, kept=reason in ("kept", "open"), reason=reason)


@pytest.mark.parametrize("reason", get_args(TurnReason))
def test_every_reason_of_a_turn_has_its_sentence(reason: TurnReason) -> None:
    """A new reason cannot make a trace fail: each code is told, and names the turn."""
    absent = sightings._turn_absence(3, _entry_turn(reason), first_out=4)

    assert absent.text.startswith("turn 3 ")
    assert 3 == absent.turn


@pytest.mark.parametrize("seated", [True, False])
@pytest.mark.parametrize("reason", get_args(MemoryReason))
def test_every_reason_of_a_memory_has_its_sentence(reason: MemoryReason, seated: bool) -> None:
    """Seated or not, and also where a ledger says what it should not."""
    suite = meeting()
    replayed = run(suite, ("managed",))
    row = next(iter(replayed.rows.values()))[0]
    entry = MemoryEntry(first=1, last=1, seated=seated, reason=reason, tokens=5)
    ledger = dataclasses.replace(row.request.ledger, memories=(entry,))
    row = dataclasses.replace(row, request=dataclasses.replace(row.request, ledger=ledger))
    memory = next(m for found in replayed.facts.values() for m in found if m.id == 1)
    absent = sightings._memory_absence(replayed, row, memory)

    assert absent.text.startswith("memory #1 ")
    assert f"memory:{reason}" == absent.code
