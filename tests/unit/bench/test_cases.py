"""Case sets: what loads, what is refused, and a case keeps its split."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from palimpsest.bench import cases, suite
from palimpsest.bench.cases import load_cases, load_recorded, recorded_splits
from palimpsest.errors import ConfigError, InputError
from palimpsest.types import Budget
from tests.support.cases import case, read


def test_a_bare_list_is_a_case_set() -> None:
    """The published file is one; the name is that of the file."""
    found = read([case("a"), case("b", "held_out")])
    assert ("set", ("dev", "held_out")) == (found.name, found.splits)
    assert ["b"] == [c.id for c in found.split("held_out")]
    one = found.cases[0]
    assert (Budget(window=60, answer=10, margin=5), "Which glue holds the frame?") == (
        one.budget, one.question,
    )  # fmt: skip
    assert [1, 2, 3] == [turn.number for turn in one.turns]
    assert found.held_out is None


def test_an_object_holds_cases_settings_and_what_is_said_of_the_held_out_split() -> None:
    """Everything beside the cases is optional."""
    found = read({
        "name": "glue", "description": "Frames.", "cases": [case()],
        "held_out": {"blind": True, "note": "Written by a reader of the shop's mail."},
        "settings": {"notes": {"reserve": 12}},
    })  # fmt: skip
    assert ("glue", 12, True) == (
        found.name, found.config().notes.reserve, found.held_out and found.held_out.blind,
    )  # fmt: skip


def test_turns_may_hold_parts_and_tool_calls() -> None:
    """A history is told in either of the shapes of a suite."""
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    history = [
        {"messages": [
            {"role": "user", "content": "look"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": "fish glue: 3 tins"},
            {"role": "assistant", "content": "Three."},
        ]},
        {"user": [{"type": "text", "text": "We chose bone glue"}], "assistant": "ok"},
    ]  # fmt: skip
    found = read([case(history=history, required=["3 tins"])])
    assert [4, 2] == [len(turn.messages) for turn in found.cases[0].turns]


def without(key: str) -> dict[str, Any]:
    return {k: v for k, v in case().items() if k != key}


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ([case("a"), case("b"), case("a")], "cases[2].id: 'a' is already the id of cases[0]"),
        ([case(split="test")], "cases[0].split: 'test'"),
        ([case(required=[])], "cases[0].required: is empty; case 'one' needs at least one fact"),
        ([case(required=["a fact that nobody states"])],
         "cases[0].required[0]: 'a fact that nobody states' is not said in the history of case"),
        ([case(stale=["We chose hide glue"])], "cases[0].stale[0]: 'We chose hide glue' is not"),
        ([case(required=["bone glue. Bone glue"])], "cases[0].required[0]: "),
        ([case(answer="Friday")], "cases[0]: unknown key 'answer'. Known: id, split"),
        ([case(requierd=[])], "did you mean 'required'?"),
        ([without("stale")], "cases[0].stale: is missing"),
        ([without("budget")], "cases[0].budget: is missing"),
        ([case(required=[" "])], "cases[0].required[0]: a blank text"),
        ([case(required=["fish", "fish"])], "cases[0].required[1]: 'fish' is already in required"),
        ([case(stale=["Take fish glue instead"])], "'Take fish glue instead' is already in requ"),
        ([case(stale=["fish glue"])], "cases[0].stale[0]: 'fish glue' stands inside the required"),
        ([case(" a")], "cases[0].id: ' a' begins or ends with a blank"),
        ([case(current="")], "cases[0].current: ''"),
        ([case(current=7)], "cases[0].current: 7 (int)"),
        ([case(history=[{"user": "a"}])], "cases[0].history[0].assistant: is missing"),
        ([case(history=[{"user": "a", "assistant": "b", "at": 1}])], "cases[0].history[0]: unknown key 'at'"),
        ([case(history=[{"user": 3, "assistant": "b"}])], "cases[0].history[0].user: 3 (int)"),
        ([case(history=[])], "is not said in the history"),
        ([case(budget={"context_limit": 9, "max_new_tokens": 9, "margin": 0})],
         "cases[0].budget: window 9 leaves no input space"),
        ([case(budget={"context_limit": True, "max_new_tokens": 9})], "cases[0].budget.context_li"),
        ([case(required=["\\ud800"])], "cases[0].required[0]: "),
        ([], "cases: [] (list)"),
        ("text", "'text' is neither a list of cases nor an object"),
        ({"cases": [case()], "settings": {"budget": {}}}, "settings.budget: each case has its own"),
        ({"cases": [case()], "settings": {"notes": {"reserv": 3}}}, "unknown 'reserv'"),
        ({"cases": [case()], "held_out": {"blind": "no", "note": "x"}}, "held_out.blind: 'no'"),
        ({"turns": [], "checkpoints": []}, "run `palimpsest bench run set.json`"),
    ],
)  # fmt: skip
def test_a_wrong_case_set_is_refused_with_the_path_to_the_fault(data: Any, told: str) -> None:
    """A labelling error cannot look like a failure of a strategy."""
    text = json.dumps(data).replace("\\\\ud800", "\\ud800")
    with pytest.raises((InputError, ConfigError)) as caught:
        cases.read(text, where="set.json", name="set")
    assert str(caught.value).startswith("set.json: ")
    assert told in str(caught.value)


def test_a_fact_may_be_said_by_the_assistant() -> None:
    """A case asks what the conversation holds, whoever said it."""
    assert read([case(required=["Fish glue."])])


def test_a_case_set_is_no_suite() -> None:
    """Whoever takes the wrong command is told the right one."""
    with pytest.raises(InputError, match=r"run `palimpsest bench cases set\.json`"):
        suite.read(json.dumps([case()]), where="set.json", name="set")


def recorded(*found: dict[str, Any]) -> Any:
    loaded = read(list(found))
    report = {"splits": {c.id: {"split": c.split, "digest": c.digest} for c in loaded.cases}}
    return recorded_splits(report, "report.json")


def test_a_case_that_changed_its_split_is_refused() -> None:
    """Once its results were seen, a case stays where it was."""
    with pytest.raises(InputError) as caught:
        read(
            [case("a", "dev"), case("b", "dev")], recorded(case("a", "dev"), case("b", "held_out"))
        )
    assert str(caught.value).startswith(
        "set.json: cases[1].split: case 'b' is 'dev' here and was 'held_out' in report.json"
    )


def test_a_case_that_changed_its_split_under_another_id_is_refused() -> None:
    """A new name makes no new case."""
    with pytest.raises(InputError, match=r"cases\[0\]\.split: case 'new' .* content of 'b'"):
        read([case("new", "dev")], recorded(case("b", "held_out")))


def test_new_cases_and_changed_words_are_taken() -> None:
    """A set may grow, shrink and be corrected; only moves are refused."""
    known = recorded(case("a", "dev"), case("b", "held_out"))
    assert read([case("b", "held_out", kind="other"), case("c", "dev", current="Which?")], known)


def test_the_hash_is_that_of_the_bytes_of_the_file(tmp_path: Path) -> None:
    """What any other tool computes for the file."""
    path = tmp_path / "set.json"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps([case()]).encode())
    assert hashlib.sha256(path.read_bytes()).hexdigest() == load_cases(path).sha256


@pytest.mark.parametrize("content", ["{}", "[]", '{"splits": {"a": {"split": "x"}}}', "{"])
def test_a_baseline_that_is_no_report_is_refused(tmp_path: Path, content: str) -> None:
    """The error names the file and how a report is written."""
    path = tmp_path / "report.json"
    path.write_text(content)
    with pytest.raises(InputError, match=r"report\.json: is (no report|not valid)"):
        load_recorded(path)
