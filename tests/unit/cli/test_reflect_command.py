"""reflect and verdicts: what a reading cost is told, and so is the limit that stops one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from palimpsest.cli import run
from tests.support.model_server import ModelServer, serve

SAID = ("I live in Oslo.", "I have a dog.", "I drink tea.")
LIMITS = "[reflection]\ncall_tokens = {call}\nday_tokens = {day}\n"
MODEL = "llm(model='openai:toy')"
Told = Callable[..., tuple[int, str]]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """A model that finds nothing, and says that each call took 31 and 7 tokens."""
    with serve(ModelServer(answers=['{"found": []}'])) as running:
        monkeypatch.setenv("PALIMPSEST_OPENAI_BASE_URL", running.url)
        yield running


@pytest.fixture
def told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Told:
    """Run a command on a store in which three turns wait, under limits; its status and output."""
    monkeypatch.setenv("COLUMNS", "160")
    where = ["--store", str(tmp_path / "m.db")]
    for said in SAID:
        assert 0 == run(["observe", said, "Noted.", *where])

    def call(*arguments: str, call: int = 4_000, day: int = 1_000_000) -> tuple[int, str]:
        limits = tmp_path / "limits.toml"
        limits.write_text(LIMITS.format(call=call, day=day), encoding="utf-8")
        capsys.readouterr()
        status = run([*arguments, *where, "--config", str(limits)])
        return status, capsys.readouterr().out

    return call


def test_the_tokens_of_readings_are_told(server: ModelServer, told: Told) -> None:
    """By reflect for what it read, by verdicts for all, beside what a day may take."""
    status, out = told("reflect", "--extractor", MODEL)
    assert 0 == status
    assert "114 tokens; today 114 of 1000000 tokens are spent ([reflection] day_tokens)" in out
    _, out = told("verdicts")
    assert "readings took 114 tokens in 3 calls; today 114 of 1000000 tokens are spent" in out


def test_the_limit_of_a_day_is_told_where_it_stops_a_reading(
    server: ModelServer, told: Told
) -> None:
    """A call may take 4,000: two fit in 4,040 with what they really took, and one turn waits."""
    _, out = told("reflect", "--extractor", MODEL, day=4_040)
    assert 2 == len(server.asked)
    assert (
        "1 turns wait: one more reading could go over; "
        "today 76 of 4040 tokens are spent ([reflection] day_tokens)"
    ) in out
    _, out = told("verdicts", day=4_040)
    assert "1 turns wait to be read" in out
    assert "today 76 of 4040 tokens are spent" in out
    told("reflect", "--extractor", MODEL, day=5_000)
    assert 3 == len(server.asked)


def test_the_limit_of_a_call_is_told_where_it_stops_one(server: ModelServer, told: Told) -> None:
    """Nobody is asked, the reading failed, and the error names the setting."""
    _, out = told("reflect", "--extractor", MODEL, call=600)
    assert [] == server.asked
    assert 3 == out.count("600 tokens of [reflection] call_tokens")


def test_an_extractor_without_a_model_costs_nothing_and_never_waits(told: Told) -> None:
    """The rules read on when the tokens of the day are gone."""
    _, out = told("reflect", "--extractor", "rules(languages='en')", day=1)
    assert "tokens" not in out
    assert "wait" not in out


def test_the_cost_of_each_reading_is_in_the_json(server: ModelServer, told: Told) -> None:
    """Calls and tokens by turn, and the day."""
    told("reflect", "--extractor", MODEL)
    _, out = told("verdicts", "--json", "-")
    data = json.loads(out)
    assert [{"calls": 1, "prompt_tokens": 31, "answer_tokens": 7}] * 3 == [
        reading["usage"] for reading in data["readings"]
    ]
    assert {"used": 114, "most": 1_000_000} == data["day"]


def test_the_story_is_shown_with_why_each_anchor_went(
    server: ModelServer, told: Told, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Summary, anchors and those let go, positions and state, as text and as JSON."""
    where = ["--store", str(tmp_path / "m.db")]
    capsys.readouterr()
    assert 0 == run(["story", *where])
    assert "no story" in capsys.readouterr().out
    position = {"subject": "dogs", "stance": "Loyal.", "evidence": "I have a dog"}
    server.answers = [
        json.dumps({"found": [], "summary": "They met.", "keep": ["I live in Oslo."]}),
        json.dumps({"found": [], "positions": [position]}),
        json.dumps({"found": [], "release": [{"id": 1, "reason": "they moved"}]}),
    ]
    told("reflect", "--extractor", MODEL)
    assert 0 == run(["story", *where])
    assert [
        "summary: They met.",
        "anchor 1 released: I live in Oslo. (they moved)",
        "position since turn 2: dogs: Loyal. (I have a dog)",
    ] == capsys.readouterr().out.splitlines()
    assert 0 == run(["story", *where, "--json", "-"])
    data = json.loads(capsys.readouterr().out)
    assert [{"id": 1, "text": "I live in Oslo.", "reason": "they moved"}] == data["released"]
