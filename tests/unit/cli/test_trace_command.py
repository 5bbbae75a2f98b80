"""palimpsest trace: the life of one fact, and where each request has it or why not."""

import json
from pathlib import Path

import pytest

from palimpsest import cli
from tests.support.suites import MEETING, data, point
from tests.support.tokenizers import word_folder


@pytest.fixture
def arguments(tmp_path: Path) -> list[str]:
    path = tmp_path / "meeting.json"
    points = [point(2, ["room is Alder"]), point(5, ["Birch & Co."], ["room is Alder"], ["4711"])]
    path.write_text(json.dumps(data(MEETING, points)))
    return ["--tokenizer", str(word_folder(tmp_path / "words")), str(path)]


def test_the_life_and_the_fates_are_told(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Turns with their words first, then each checkpoint with each strategy."""
    assert 0 == cli.run(["trace", *arguments, "room is Alder"])
    out = capsys.readouterr().out
    for line in (
        'turn   1  stated          user      "The room is Alder."',
        'turn   3  corrected       user      "The room is Birch & Co."',
        "at turn 5, replaced by now",
        "! recent       turn 1: message 1 (user)",
        "+ managed      not sent: turn 1 is sent with its words redacted; memory #1 was",
        "; memory #1 was superseded by #3",
    ):
        assert line in out


def test_the_trace_is_json_on_demand(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """With --json - nothing but the trace is on standard output."""
    assert 0 == cli.run(["trace", *arguments, "room", "--json", "-"])
    found = json.loads(capsys.readouterr().out)
    assert ("room", 2) == (found["attribute"], len(found["facts"]))


@pytest.mark.parametrize(
    ("fact", "told"),
    [("o", "fits 2 facts of 'meeting'"), ("Cedar", "no fact of 'meeting' holds 'Cedar'")],
)
def test_a_name_that_is_unknown_or_ambiguous_is_told(
    arguments: list[str], capsys: pytest.CaptureFixture[str], fact: str, told: str
) -> None:
    """Both are errors that list what is known, with exit status 2."""
    assert 2 == cli.run(["trace", *arguments, fact])
    assert told in capsys.readouterr().err
