"""The situations in which other tools lost, leaked or repeated something while compacting.

Rows 01, 03, 17 and 19 of the shared case file, each through the engine and through
``compact``, and a test of our own for each kind.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from palimpsest import Budget, Compaction, Config, Request, compact
from palimpsest.config import NotesSettings
from palimpsest.errors import RequiredContextTooLarge
from palimpsest.protocols import Tokenizer
from palimpsest.tokens.counter import TokenCounter
from tests.cases.test_requests import Case, check, kept

EXTRACTORS = ("cues", "statements")
NOTES = tuple(f"notes(extractor='{name}')" for name in EXTRACTORS)


@pytest.fixture(scope="module")
def given(shared: Path) -> dict[str, Any]:
    """The inputs of the rows by id."""
    lines = (shared / "cases" / "requests.jsonl").read_text(encoding="utf-8").splitlines()
    rows = map(json.loads, lines)
    return {row["id"]: row["minimal_input"] for row in rows}


def compacted(case: Case, extractor: str, **changed: Any) -> Compaction:
    """The row as a compaction request; an answer of nought is one token more of window."""
    budget = case.budget()
    answer = max(1, budget.answer)
    request = {
        "instructions": case.given["system"], "current": case.given["current"],
        "history": case.given["messages"], "margin": 0, "max_new_tokens": answer,
        "context_limit": budget.window + answer - budget.answer, **changed,
    }  # fmt: skip
    return compact(request, extractor=extractor, counter=case.memory.counter)


def block(request: Request) -> str:
    """The lines between the tags of the notes."""
    found = re.search(r"<notes>\n(.*)\n</notes>", str(request.sent[-1].content), re.DOTALL)
    return found.group(1) if found else ""


def both(case: Case, **changed: Any) -> list[Request]:
    """The request of each extractor, from the engine and from ``compact``."""
    built = [case.request(spec) for spec in NOTES]
    for request in built:
        check(request, case)
    return built + [compacted(case, name, **changed).request for name in EXTRACTORS]


def test_req_01_a_constraint_of_the_first_turn_is_quoted_with_its_turn(
    given: dict[str, Any], gemma: Tokenizer
) -> None:
    """Its turn is gone, its sentence is not; the request is whole and within the budget."""
    row = given["req-01"]
    for request in both(Case(row, gemma)):
        assert f"- [turn {row['expect']['note_cites_turn']}, user]" in block(request)
        assert [] == [t for t in row["expect"]["in_notes"] if t not in block(request)]
        assert str(request.sent[-1].content).endswith(row["current"])
        assert not request.ledger.turn(1).kept
        assert request.tokens <= 228


def test_a_constraint_outlives_any_number_of_turns(gemma: Tokenizer) -> None:
    """Kind fact_lost_on_compaction: after 3, 30 and 300 small turns the decision is there."""
    counter = TokenCounter(gemma)
    for number in (3, 30, 300):
        history = [{"user": "Decision: never rename the table seats.", "assistant": "Ok."}]
        history += [{"user": f"Step {n}?", "assistant": f"Step {n} done."} for n in range(number)]
        for extractor in EXTRACTORS:
            found = compact(
                {"instructions": "Be brief.", "current": "Go.", "history": history,
                 "context_limit": 160, "max_new_tokens": 30, "margin": 0, "notes_reserve": 70},
                extractor=extractor, counter=counter,
            )  # fmt: skip
            assert ["Decision: never rename the table seats."] == [n.text for n in found.notes]
            assert found.removed_turns > 0


def test_req_03_the_current_request_is_never_cut(given: dict[str, Any], gemma: Tokenizer) -> None:
    """Notes go first, then turns; both are reported."""
    row = given["req-03"]
    case = Case(row, gemma)
    for request in both(case, notes_reserve=0):
        assert row["current"] == request.sent[-1].content
        assert 0 == kept(request)
        assert 2 == len(request.sent)
        assert {False} == {note.sent for note in request.ledger.notes}
    for extractor in EXTRACTORS:
        found = compacted(case, extractor, notes_reserve=0)
        assert (0, 5) == (found.kept_turns, found.removed_turns)
        assert "Decision: use blue labels." == found.dropped_notes[0].text


def test_every_part_of_a_long_question_survives_every_window(gemma: Tokenizer) -> None:
    """Kind latest_request_parts_dropped: the question is whole, or the request is refused."""
    question = "First list the oars. Then list the sails. Finally count both lists."
    history = [{"user": f"We must paint hull {n}.", "assistant": "Ok."} for n in range(6)]
    counter, refused, sent = TokenCounter(gemma), 0, 0
    for window in range(30, 260, 3):
        for extractor in (*EXTRACTORS, "drop-oldest"):
            try:
                found = compact(
                    {"instructions": "Be brief.", "current": question, "history": history,
                     "context_limit": window, "max_new_tokens": 1, "margin": 0},
                    extractor=extractor, counter=counter,
                )  # fmt: skip
            except RequiredContextTooLarge:
                refused += 1
                continue
            sent += 1
            assert found.messages[-1]["content"].endswith(question)
            assert 6 == found.kept_turns + found.removed_turns
    assert refused > 0 < sent


def test_req_17_the_kept_tail_is_as_long_as_it_can_be(
    given: dict[str, Any], gemma: Tokenizer
) -> None:
    """Exactly turns 3 to 5; one more would exceed the budget."""
    row = given["req-17"]
    case = Case(row, gemma)
    found = [case.request("recent"), case.request("notes(reserve=0)")]
    found += [
        compacted(case, name, notes_reserve=0).request for name in (*EXTRACTORS, "drop-oldest")
    ]
    for request in found:
        assert row["expect"]["turns_kept"] == kept(request)
        assert [3, 4, 5] == [e.first for e in request.ledger.turns if e.kept]
        second = case.talk.turns()[1].messages
        assert request.tokens + case.memory.counter.unit(second) > request.budget.input


def test_one_token_decides_about_one_turn(gemma: Tokenizer) -> None:
    """Kind budget_underused: at its exact size a turn stays, one token below it goes."""
    counter = TokenCounter(gemma)
    history = [{"user": f"Buoy {n} is red.", "assistant": "Seen."} for n in range(9)]
    base = {"instructions": "Be brief. " * 30, "current": "Go on.", "max_new_tokens": 1,
            "margin": 0, "notes_reserve": 0}  # fmt: skip
    for number in range(1, 10):
        wide = {**base, "history": history[-number:], "context_limit": 5000}
        size = compact(wide, counter=counter).input_tokens
        for window, expected in ((size + 1, number), (size, number - 1)):
            narrow = {**base, "history": history, "context_limit": window}
            for extractor in (*EXTRACTORS, "drop-oldest"):
                assert expected == compact(narrow, extractor=extractor, counter=counter).kept_turns


def test_req_19_five_builds_are_one_build(given: dict[str, Any], gemma: Tokenizer) -> None:
    """Notes come from the original turns: byte-identical, and the block does not grow."""
    row = given["req-19"]
    case = Case(row, gemma)
    for spec in NOTES:
        built = [case.request(spec) for _ in row["ops"]]
        assert 1 == len({json.dumps(request.messages) for request in built})
        assert 1 == len({(request.tokens, request.ledger.notes) for request in built})
        assert [] == [t for t in row["expect"]["in_notes"] if t not in block(built[-1])]
    for extractor in EXTRACTORS:
        made = [compacted(case, extractor) for _ in row["ops"]]
        assert [made[0]] * len(row["ops"]) == made
        assert [] == [t for t in row["expect"]["in_notes"] if t not in block(made[-1].request)]


def test_compacting_what_was_compacted_adds_no_note(gemma: Tokenizer) -> None:
    """Kind repeated_build_changes_result: a block that comes back in as a turn is no source.

    Its lines are escaped quotes in a user's message; the newest saying of each sentence is
    quoted once and not once more for every round.
    """
    counter = TokenCounter(gemma)
    base = {"instructions": "Be brief.", "context_limit": 400, "max_new_tokens": 50, "margin": 0}
    history = [{"user": "Decision: code K-17, depth 3.25 m.", "assistant": "Ok."}]
    history += [{"user": f"Small talk {n}. " * 8, "assistant": "Yes."} for n in range(8)]
    config = Config(notes=NotesSettings(reserve=120))
    sizes = []
    for _ in range(5):
        found = compact({**base, "current": "Which code?", "history": history}, counter=counter,
                        config=config)  # fmt: skip
        sizes.append(len(block(found.request)))
        assert "K-17, depth 3.25 m." in block(found.request)
        history.append({"user": "Which code?", "assistant": "K-17."})
    assert [sizes[0]] * 5 == sizes


def test_a_budget_of_the_engine_and_of_compact_build_one_request(
    given: dict[str, Any], gemma: Tokenizer
) -> None:
    """The API adds nothing to what the strategy sends."""
    case = Case(given["req-01"], gemma)
    for spec, extractor in zip(NOTES, EXTRACTORS, strict=True):
        engine = case.request(spec, budget=Budget(window=260, answer=32))
        assert engine.sent == compacted(case, extractor).request.sent
