"""The pages on label, pytest and inspect: their commands run and their examples are tests."""

from __future__ import annotations

import inspect
import json
import re
import shlex
from pathlib import Path

import pytest

from palimpsest import cli
from palimpsest.bench.label import sheet
from palimpsest.bench.label.session import Wanted, make
from palimpsest.cli.label import label_command
from palimpsest.integrations import pytest_suites
from palimpsest.integrations.inspect_task import answers
from tests.golden.made import ROOT
from tests.support.suites import MEETING, data, point
from tests.unit.bench.label.test_label_session import SAID, jsonl

pytest_plugins = ["pytester"]


def page(name: str) -> str:
    return (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")


def blocks(name: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page(name), re.DOTALL)


def test_the_commands_of_the_page_on_label_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each line, in its order, in one folder; the editor changes nothing."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EDITOR", "true")
    monkeypatch.delenv("VISUAL", raising=False)
    jsonl(tmp_path / "chat.jsonl", SAID)
    for line in blocks("label", "sh")[0].splitlines():
        words = shlex.split(line)
        assert "palimpsest" == words[0]
        assert 0 == cli.run([*words[1:], "--tokenizer", "estimate"]), capsys.readouterr().err


def test_the_sheet_on_the_page_can_be_read(tmp_path: Path) -> None:
    """Its lines are those that the program writes."""
    (made,) = make(jsonl(tmp_path / "a.jsonl", SAID), Wanted()).made
    shown = next(block for block in blocks("label", "text") if "checkpoint" in block)
    data_, _ = sheet.read(shown, made.data)
    assert "budget" == data_["turns"][3]["memory"]["attribute"]
    written = sheet.write(made.data)
    for line in shown.splitlines():
        if line.startswith(("# turn", "turn", "  stale", "  required")):
            assert line in written


def test_every_option_that_the_page_on_label_names_is_one() -> None:
    """No option of the page is made up."""
    known = {name for option in label_command.params for name in option.opts}
    assert set(re.findall(r"--[a-z]+", page("label"))) <= known


def test_the_examples_of_the_page_on_pytest_are_tests_that_pass(
    pytester: pytest.Pytester,
) -> None:
    """Both files as they stand, blessed as the page says, then run again."""
    points = [point(2, ["room is Alder"]), point(5, ["Birch & Co."], ["room is Alder"], ["4711"])]
    made = data(MEETING, points, name="meeting",
                settings={"tokenizer": {"name": "estimate"}, "sweep": {"quota": []}})  # fmt: skip
    (pytester.path / "meeting.json").write_text(json.dumps(made), encoding="utf-8")
    one, two = blocks("pytest", "python")
    pytester.makepyfile(test_one=one, test_two=two)
    (command,) = blocks("pytest", "sh")
    words = shlex.split(command)
    pytester.runpytest_inprocess(*words[1:], "--strict-markers").assert_outcomes(passed=4)
    pytester.runpytest_inprocess().assert_outcomes(passed=4)


def test_the_failures_on_the_page_on_pytest_are_real(pytester: pytest.Pytester) -> None:
    """The text of a failed case is what the program prints."""
    shown = next(block for block in blocks("pytest", "text") if "life of" in block)
    points = [point(5, ["Birch & Co."], ["room is Alder"], ["4711"])]
    made = data(MEETING, points, name="meeting",
                settings={"tokenizer": {"name": "estimate"}, "sweep": {"quota": []}})  # fmt: skip
    (pytester.path / "meeting.json").write_text(json.dumps(made), encoding="utf-8")
    pytester.makepyfile(
        "import pytest\n@pytest.mark.palimpsest(suite='meeting.json', strategy='recent')\n"
        "def test_memory(): pass\n"
    )
    told = pytester.runpytest_inprocess().stdout.str().replace(f"{pytester.path}/", "")
    assert shown.strip() in told


def test_the_tables_of_arguments_are_those_of_the_code() -> None:
    """Every parameter of the marker and of the task is on its page, and no other."""
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", page("pytest"), re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"\w+", row)}
    assert set(pytest_suites._PARAMETERS) == named
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", page("inspect"), re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"\w+", row)}
    assert set(inspect.signature(answers).parameters) == named
