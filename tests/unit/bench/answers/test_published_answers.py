"""The published answers, graded by the published keys, get the published verdicts."""

from __future__ import annotations

import dataclasses
import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from palimpsest.bench import suite
from palimpsest.bench.answers import cases, keys, published
from palimpsest.bench.answers.graded import Graded, by_strategy, counts, grade_all
from palimpsest.bench.answers.grading import grade
from palimpsest.bench.builtin import travel_keys
from palimpsest.chat import hash_of
from palimpsest.models.recordings import AskedRequest, GivenAnswer, Recording

KEYS = Path(__file__).parents[3] / "data" / "answer_keys"


def theirs(place: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((place / "grades.json").read_text(encoding="utf-8"))
    return found


def graded(
    place: Path,
    requests: Mapping[tuple[str, str], AskedRequest] | None = None,
    own: keys.Keys | None = None,
) -> Any:
    made = own or keys.load(KEYS / f"{place.name}.toml")
    found = published.load(place / "answers.json")
    recording = Recording(head=None, requests=requests or {}, answers=found.answers)
    listed = made.cases
    if (place / "conversation.json").exists():
        listed = cases.of_suite(suite.load(place / "conversation.json"))
    return grade_all(recording, made, listed)


def test_the_50_turn_answers_get_their_40_verdicts(published: Path) -> None:
    """40 of 40, with the facts found and the reasons of every row."""
    place = published / "compaction-50"
    groups: tuple[Graded, ...] = graded(place)
    wanted = theirs(place)
    ours = {f"{group.strategy} · {group.case}": group for group in groups}
    assert wanted["graded"] == {
        name: [grade.verdict for grade in group.grades] for name, group in ours.items()
    }
    assert 40 == sum(len(group.grades) for group in groups)
    for name, row in wanted["summary"].items():
        made = counts(ours[name])
        facts = f"{made['facts_in_answers']} of {made['facts_required']}"
        shown = {key: made[key] for key in ("pass", "fail", "incomplete", "reasons")}
        assert row == {**shown, "facts_in_answers": facts}, name
    assert 27 == sum(counts(group)["stopped_at_limit"] for group in groups)


def test_the_compaction_answers_get_their_10_verdicts(published: Path) -> None:
    """10 of 10 with their reasons; the printed requests say where a missing fact was."""
    place = published / "context-compaction"
    groups = graded(place, printed(place))
    wanted = theirs(place)
    for group in groups:
        rows = [
            {"seed": grade.seed, "verdict": grade.verdict, "reason": grade.said}
            for grade in group.grades
        ]
        assert wanted["graded"][group.strategy] == rows
        made, row = counts(group), wanted["summary"][group.strategy]
        assert {key: row[key] for key in ("pass", "fail", "incomplete")} == {
            key: made[key] for key in ("pass", "fail", "incomplete")
        }
        assert row["presents_mysql_as_current"] == made["stale_as_current"]
        named = {fact: sum(fact in grade.found for grade in group.grades) for fact in FACTS}
        assert [row["names_postgresql"], row["names_export_limit"]] == list(named.values())
    assert {"PostgreSQL": {"in the request, not used": 5}} == counts(groups[0])["missing"]
    assert {fact: {"not in the request": 5} for fact in FACTS} == counts(groups[1])["missing"]


FACTS = ("PostgreSQL", "15-minute export limit")


def printed(place: Path) -> dict[tuple[str, str], AskedRequest]:
    """The two requests as the document printed them."""
    found = json.loads((place / "result.json").read_text(encoding="utf-8"))
    made = {}
    for strategy, key in (("compacted", "compacted"), ("drop oldest", "drop_oldest")):
        sent = tuple(found[key]["messages"])
        made[strategy, "request"] = AskedRequest(
            strategy=strategy, case="request", hash=hash_of(sent, ()), window=512, limit=128,
            tokens=found[key]["input_tokens"], messages=sent,
        )  # fmt: skip
    return made


def test_the_selection_answers_get_their_120_verdicts(published: Path) -> None:
    """120 of 120 with the summary of each strategy; an unprinted request is unknown."""
    place = published / "context-selection"
    groups: tuple[Graded, ...] = graded(place)
    wanted = theirs(place)
    ours: dict[str, dict[str, list[str]]] = {}
    for group in groups:
        verdicts: list[str] = [grade.verdict for grade in group.grades]
        ours.setdefault(group.strategy, {})[group.case] = verdicts
    assert wanted["graded"] == ours
    assert 120 == sum(len(group.grades) for group in groups)
    sums = by_strategy(groups)
    assert wanted["summary"] == {
        name: {key: sums[name][key] for key in row} for name, row in wanted["summary"].items()
    }
    places = {
        missing.where for group in groups for grade in group.grades for missing in grade.missing
    }
    assert {"unknown"} == places


def test_the_keys_of_the_selection_are_the_published_patterns(published: Path) -> None:
    """What stands in the key file is what the document printed, case by case."""
    place = published / "context-selection"
    printed_keys = json.loads((place / "answer-keys.json").read_text(encoding="utf-8"))["keys"]
    made = keys.load(KEYS / "context-selection.toml")
    ours = {
        name: {
            "must": [made.pattern(name, fact).pattern for fact in case.required],
            "stale": [made.pattern(name, fact).pattern for fact in case.stale],
        }
        for name, case in made.cases.items()
    }
    assert printed_keys == ours


@pytest.mark.parametrize(
    ("document", "case", "answer", "rule", "without", "reasons"),
    [
        # MySQL is exempt beside PostgreSQL only.
        ("context-compaction", "request", "PostgreSQL, not MySQL, and 15 minutes.",
         "exempt", {}, ("both decisions, no stale MySQL", "presents MySQL as current")),
        # "superseded" is a marker of this document and of no other.
        ("context-compaction", "request", "MySQL is superseded. PostgreSQL, 15 minutes.",
         "replaced", "", ("both decisions, no stale MySQL", "presents MySQL as current")),
        # A replaced fact is told before a missing one.
        ("context-compaction", "request", "MySQL.",
         "order", ["missing", "stale"],
         ("presents MySQL as current", "leaves out PostgreSQL and 15-minute export limit")),
        ("context-selection", "held-pronoun", "I do not have that fact.",
         "says_missing", "", ("says the fact is missing", "required fact absent")),
        ("context-selection", "held-correction", "RabbitMQ, actually.",
         "replaced", "", ("required fact absent", "presents a replaced decision as current")),
    ],
)  # fmt: skip
def test_no_rule_of_a_key_file_is_idle(
    document: str, case: str, answer: str, rule: str, without: object, reasons: tuple[str, str]
) -> None:
    """Each rule that the documents print differently decides a grade: without it, another."""
    data = tomllib.loads((KEYS / f"{document}.toml").read_text(encoding="utf-8"))
    given = GivenAnswer(strategy="s", case=case, seed=1, answer=answer)
    found = []
    for table in (data, {**data, rule: without}):
        made = keys.parse(table, document)
        found.append(grade(made.cases[case], given, made).said)
    assert reasons == tuple(found)


PATTERNS = {
    "fish now": "eating fish", "180 euros per night": "180 euros a night",
    "going to Porto": "in Porto", "10 to 13 November": "10 to 13 November",
    "hotel near the river": "beside the river", "morning flight": "fly out in the morning",
    "Bob will join": "Bob comes along", "I am vegetarian.": "diet is vegetarian",
    "150 euros per night": "150 euros a night", "3 to 6 November": "3 to 6 November",
    "P1234567": "P1234567",
}  # fmt: skip


@pytest.mark.parametrize("document", ["compaction-50", "context-compaction", "context-selection"])
def test_our_own_rules_give_the_published_verdicts_too(published: Path, document: str) -> None:
    """Judging each mention, with the patterns of travel-50 for the trip, changes no verdict."""
    place = published / document
    theirs_by_rule = keys.load(KEYS / f"{document}.toml")
    if document == "compaction-50":
        facts = {fact: travel_keys.KEYS[ours] for fact, ours in PATTERNS.items()}
        own = keys.parse({"facts": facts}, document)
    else:
        own = dataclasses.replace(theirs_by_rule, matching="mention")
    for ours, wanted in zip(graded(place, own=own), graded(place), strict=True):
        assert [g.verdict for g in wanted.grades] == [g.verdict for g in ours.grades]
        assert [g.stale for g in wanted.grades] == [g.stale for g in ours.grades]
        assert [g.found for g in wanted.grades] == [g.found for g in ours.grades]
