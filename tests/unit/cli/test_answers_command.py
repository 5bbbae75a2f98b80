"""palimpsest answers: recorded once, resumed, graded offline; bad input is an error that helps."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from palimpsest.cli import run
from palimpsest.models.recordings import read
from tests.support import suites
from tests.support.model_server import DIGEST, ModelServer, serve

KEYS = {
    "facts": {
        "room is Alder": r"\balder\b", "4711": r"4711", "Birch & Co.": r"\bbirch\b",
    },
}  # fmt: skip
RIGHT = "The room is Birch & Co., no longer Alder."


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with serve(ModelServer(answers=[RIGHT])) as running:
        yield running


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with the meeting as a suite file that has keys."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "meeting.json", keys=KEYS)
    return tmp_path


def write(path: Path, **more: Any) -> None:
    points = (
        suites.point(2, ["room is Alder", "4711"]),
        suites.point(5, ["Birch & Co."], ["room is Alder"], ["4711"]),
    )
    path.write_text(json.dumps(suites.data(suites.MEETING, points, name="meeting", **more)))


def record(server: ModelServer, *more: str) -> int:
    return run(
        ["answers", "record", "meeting.json", "--model", f"ollama:toy:2b@{DIGEST}",
         "--base-url", server.url, "--tokenizer", "estimate", "--seeds", "1,2",
         "--checkpoint", "5", *more]
    )  # fmt: skip


def test_a_recording_is_made_and_graded(
    place: Path, server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """Record says who answered and where the answers are; grade shows what they are worth."""
    assert 0 == record(server)
    out, err = capsys.readouterr()
    assert f"ollama:toy:2b (digest {DIGEST}) through ollama 0.99.0" in out
    assert "8 answers recorded: meeting.answers.jsonl" in out
    assert "8/8" in err
    assert 0 == run(["answers", "grade", "meeting.json", "meeting.answers.jsonl"])
    table = capsys.readouterr().out
    assert "8 answers of ollama:toy:2b" in table
    assert 4 == sum(line.split()[-8:-5] == ["2", "0", "0"] for line in table.splitlines())


def test_the_grades_are_json(
    place: Path, server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every answer has its verdict, its reason, and where each missing fact was."""
    server.answers = ["No idea.", RIGHT, "", "Alder."]
    assert 0 == record(server, "--strategy", "managed", "--seeds", "1,2,3,4")
    capsys.readouterr()
    assert 0 == run(["answers", "grade", "meeting.json", "meeting.answers.jsonl", "--json", "-"])
    report = json.loads(capsys.readouterr().out)
    (group,) = report["graded"]
    wanted = [
        {"seed": 1, "verdict": "fail", "reason": "missing 1 of 1 required facts",
         "missing": {"Birch & Co.": "in the request, not used"}},
        {"seed": 2, "verdict": "pass", "reason": "every required fact"},
        {"seed": 3, "verdict": "incomplete", "reason": "no answer"},
        {"seed": 4, "verdict": "fail", "reason": "states a replaced fact as current: room is Alder",
         "missing": {"Birch & Co.": "in the request, not used"}, "stale": ["room is Alder"]},
    ]  # fmt: skip
    assert wanted == group["grades"]
    assert {"pass": 1, "fail": 2, "incomplete": 1, "stale_as_current": 1} == {
        key: report["summary"]["managed"]["turn 5"][key]
        for key in ("pass", "fail", "incomplete", "stale_as_current")
    }
    assert True is report["model"]["pinned"]


def test_a_server_that_dies_in_the_middle_is_resumed(
    place: Path, server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first run ends with an error, the second asks the rest; nothing is lost or repeated."""
    server.answers = [f"answer {number}" for number in range(9)]
    server.fault, server.fails_at = "drop", 3
    assert 2 == record(server)
    assert "3 of 8 answers are kept, and the same command goes on" in capsys.readouterr().err
    assert 0 == record(server)
    assert "5 answers recorded, 3 were there before" in capsys.readouterr().out
    given = read(place / "meeting.answers.jsonl").answers
    assert [f"answer {number}" for number in (0, 1, 2, 4, 5, 6, 7, 8)] == [g.answer for g in given]
    assert 8 == len({(g.strategy, g.seed) for g in given})
    assert 0 == record(server)
    assert "0 answers recorded, 8 were there before" in capsys.readouterr().out
    assert 9 == len(server.asked)


def test_a_server_that_answers_html_is_an_error(
    place: Path, server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is kept of a page; what was answered before it is."""
    server.fault, server.fails_at = "html", 2
    assert 2 == record(server)
    assert "answered an HTML page" in capsys.readouterr().err
    assert 2 == len(read(place / "meeting.answers.jsonl").answers)


def test_an_unpinned_model_is_recorded_as_such(
    place: Path, server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without the option nothing is sent; with it the record and the table say so."""
    asked = ["answers", "record", "meeting.json", "--model", "ollama:toy:2b", "--base-url",
             server.url, "--tokenizer", "estimate", "--seeds", "1"]  # fmt: skip
    assert 2 == run(asked)
    assert "is not pinned" in capsys.readouterr().err
    assert [] == server.asked
    assert not (place / "meeting.answers.jsonl").exists()
    assert 0 == run([*asked, "--unpinned"])
    assert "ollama:toy:2b (NOT PINNED)" in capsys.readouterr().out
    head = read(place / "meeting.answers.jsonl").head
    assert head
    assert not head.model.pinned
    assert 0 == run(["answers", "grade", "meeting.json", "meeting.answers.jsonl"])
    assert "ollama:toy:2b, NOT PINNED" in capsys.readouterr().out


def test_a_recording_of_another_suite_version_is_refused(
    place: Path, server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its answers are to other requests; other keys alone change nothing that was sent."""
    assert 0 == record(server)
    write(place / "meeting.json", keys={"facts": {**KEYS["facts"], "4711": "47 ?11"}})
    assert 0 == run(["answers", "grade", "meeting.json", "meeting.answers.jsonl"])
    write(place / "meeting.json", keys=KEYS, description="changed")
    capsys.readouterr()
    assert 2 == run(["answers", "grade", "meeting.json", "meeting.answers.jsonl"])
    said = capsys.readouterr().err
    assert "the recording is of another version of 'meeting'" in said
    assert "record again with `palimpsest answers record`" in said
    assert 2 == run(["answers", "grade", "travel-50", "meeting.answers.jsonl"])
    assert "of the suite 'meeting', not 'travel-50'" in capsys.readouterr().err
    assert 2 == record(server)
    assert "was recorded with another suite hash" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"facts": {"Birch & Co.": "birch", "4711": "4711"}}, "no key for 'room is Alder'"),
        ({"facts": {**KEYS["facts"], "the pin": "1"}}, "'the pin' is no fact of these cases"),
        ({"facts": {**KEYS["facts"], "4711": "47[11"}}, "is not a regular expression"),
        ({"facts": {**KEYS["facts"], "4711": "x*"}}, "matches an empty answer"),
        ({"fact": {}}, "unknown key 'fact'; did you mean 'facts'"),
        ({**KEYS, "languages": ["xx"]}, "'xx' has no marks; known: en, fr"),
        ({**KEYS, "order": ["never"]}, "order"),
        ({**KEYS, "wording": {"stal": "x"}}, "unknown 'stal'; known: "),
        ({**KEYS, "cases": {"turn 9": {"facts": {"4711": "x"}}}}, "turn 9: 4711"),
    ],
)
def test_keys_that_do_not_match_the_cases_are_refused(
    place: Path, server: ModelServer, capsys: pytest.CaptureFixture[str],
    table: dict[str, Any], said: str,
) -> None:  # fmt: skip
    """A fact without a key, a key without a fact, and a pattern that is none."""
    assert 0 == record(server)
    capsys.readouterr()
    (place / "keys.json").write_text(json.dumps(table))
    arguments = ["answers", "grade", "meeting.json", "meeting.answers.jsonl"]
    assert 2 == run([*arguments, "--keys", "keys.json"])
    err = capsys.readouterr().err
    assert "keys.json" in err
    assert said in err
    write(place / "meeting.json", keys=table)
    assert 2 == run(arguments)
    assert said in capsys.readouterr().err


def test_published_answers_are_graded_without_a_suite(
    published: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A dash stands for the suite where the key file lists the cases."""
    keys = Path(__file__).parents[2] / "data" / "answer_keys" / "context-selection.toml"
    answers = published / "context-selection" / "answers.json"
    assert 0 == run(["answers", "grade", "-", str(answers), "--keys", str(keys), "--json", "-"])
    report = json.loads(capsys.readouterr().out)
    assert [5, 20, 25, 20] == [row["pass"] for row in report["strategies"].values()]
    assert 2 == run(["answers", "grade", "-", str(answers)])
    assert "the keys must list the cases; give --keys FILE" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["record", "meeting.json", "--seeds", "1,x"], "'x' is not a whole number; write 1,2,3"),
        (["record", "meeting.json", "--temperature", "-1"], "--temperature: -1.0 is not between"),
        (["record", "meeting.json", "--top-p", "7"], "--top-p: 7.0 is not between 0 and 1"),
        (["record", "nothing"], "no suite is named 'nothing'"),
        (["record", "meeting.json", "--model", "nobody:x"], "no chat model is named 'nobody'"),
        (["record", "meeting.json", "--model", "recorded:none.jsonl"], "none.jsonl: cannot be read"),
        (["grade", "meeting.json", "none.jsonl"], "none.jsonl: cannot be read"),
        (["grade", "meeting.json", "meeting.json"], "holds no recording"),
        (["grade", "edges", "meeting.json"], "holds no recording"),
    ],
)  # fmt: skip
def test_bad_input_is_an_error(
    place: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    """Each says what is wrong and exits 2."""
    assert 2 == run(["answers", *arguments])
    assert said in capsys.readouterr().err


def test_a_suite_without_keys_says_where_they_go(
    place: Path, server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """A recording can be made without keys; grading needs them."""
    write(place / "meeting.json")
    assert 0 == record(server)
    capsys.readouterr()
    assert 2 == run(["answers", "grade", "meeting.json", "meeting.answers.jsonl"])
    assert 'under "keys" in the suite, or give --keys FILE' in capsys.readouterr().err
