"""palimpsest bench label: what it writes, what it tells, and how a person corrects it."""

from __future__ import annotations

import json
import os
import re
import signal
import stat
import sys
from pathlib import Path
from typing import Any

import pexpect
import pytest

from palimpsest.bench.label import sheet
from palimpsest.bench.label.session import Wanted, checked, make
from tests.support.chat_terminal import environment
from tests.unit.bench.label.test_label_session import REAL, SAID, jsonl
from tests.unit.cli.conftest import Run

ESTIMATE = ("--tokenizer", "estimate")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("VISUAL", raising=False)
    jsonl(tmp_path / "chat.jsonl", SAID)
    return tmp_path


def editor(folder: Path, script: str, name: str = "editor.sh") -> str:
    place = folder / name
    place.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    place.chmod(0o755)
    return str(place)


def suite(folder: Path, name: str = "chat") -> Any:
    return json.loads((folder / f"{name}.suite.json").read_text(encoding="utf-8"))


def test_a_file_becomes_a_suite_that_was_tried(bench: Run, folder: Path) -> None:
    """The suite, the labels beside it, what it shows, and the next command; no real value."""
    status, out, err = bench("label", "chat.jsonl")
    assert (0, "") == (status, err)
    assert "masked: 1 e-mail, 1 identifier, 3 name; no original is in what was written" in out
    assert "suite: chat.suite.json: 6 turns, 5 labels, 3 checkpoints" in out
    assert "+ managed sends all" in out
    assert out.rstrip().endswith("next: palimpsest bench run chat.suite.json")
    written = "".join(p.read_text() for p in folder.glob("chat.*.json"))
    assert [] == [value for value in REAL if value in written + out]
    labels = json.loads((folder / "chat.labels.json").read_text())["labels"]
    wanted = {"turn", "op", "attribute", "value", "kind", "statement", "rule"}
    assert wanted == set(labels[0])
    assert (0, "") == bench("run", "chat.suite.json")[::2]


def test_a_file_that_is_called_by_a_name_is_told(bench: Run, folder: Path) -> None:
    """Inside the suite it is masked; the name of the file is the person's to choose."""
    (folder / "chat.jsonl").rename(folder / "lena-vogt.jsonl")
    warning = " ? the name of the file holds a real value; --out names another"
    told = bench("label", "lena-vogt.jsonl", *ESTIMATE)[1]
    assert warning in told
    assert [] == re.findall("lena|vogt", suite(folder, "lena-vogt")["name"])
    assert (
        warning not in bench("label", "lena-vogt.jsonl", "--out", "mine.suite.json", *ESTIMATE)[1]
    )


def test_nothing_is_left_of_the_map_unless_it_is_asked_for(bench: Run, folder: Path) -> None:
    """With --map it is written for its owner alone, also where a file was there for all."""
    bench("label", "chat.jsonl")
    assert {"chat.jsonl", "chat.suite.json", "chat.labels.json", "words"} == {
        place.name for place in folder.iterdir()
    }
    (folder / "map.json").write_text("old")
    (folder / "map.json").chmod(0o644)
    assert 0 == bench("label", "chat.jsonl", "--map", "map.json")[0]
    assert 0o600 == stat.S_IMODE((folder / "map.json").stat().st_mode)
    assert "P1234567" in (folder / "map.json").read_text()


def test_a_person_corrects_in_an_editor_and_a_second_run_keeps_it(
    bench: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sheet is opened, taken, checked and kept; the same command again changes nothing."""
    monkeypatch.setenv("EDITOR", editor(folder, 'sed -i "s/ budget = / room-price = /" "$1"'))
    assert 0 == bench("label", "chat.jsonl", "--edit")[0]
    assert "room-price" == suite(folder)["turns"][3]["memory"]["attribute"]
    corrected = (folder / "chat.suite.json").read_bytes()
    status, out, _ = bench("label", "chat.jsonl")
    assert (0, True) == (status, " yours, kept: label 3, label 4" in out)
    assert corrected == (folder / "chat.suite.json").read_bytes()
    assert 0 == bench("label", "chat.jsonl", "--fresh")[0]
    assert "budget" == suite(folder)["turns"][3]["memory"]["attribute"]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("s/^turn 1: remember/turn 1: rember/", "line 16: 'rember' is not one of none, remember"),
        ("s/^turn 1:.*/turn 9: none/", "there is no turn 9; turns go from 1 to 6"),
        ("s/^turn 2: .*/turn 1: none/", "turn 1 has a label already"),
        ("s/^turn 3: .*/hello/", "'hello' is no line that is known"),
        ("s/^turn 3: .*/turn 3: remember/", "remember needs an attribute"),
        ("s/^turn 3: .*/turn 3: remember budget =/", "nothing stands behind ="),
        ("s/^  stale: .*/  stale: no such words/", r"checkpoints[0].stale[0]: 'no such words'"),
        ("s/^turn 2: .*/turn 2: none/", "stated"),
    ],
)
def test_a_mistake_is_told_with_its_line_and_the_text_is_kept(
    bench: Run, folder: Path, monkeypatch: pytest.MonkeyPatch, change: str, told: str
) -> None:
    """Without a terminal to ask on, the text stays in a file that the error names."""
    monkeypatch.setenv("EDITOR", editor(folder, f"sed -i '{change}' \"$1\""))
    status, _, err = bench("label", "chat.jsonl", "--edit")
    assert 2 == status
    assert "mistake: line " in err
    assert told in err
    kept = Path(err.strip().rpartition("--sheet ")[2])
    assert kept.read_text().startswith("# Labels and checkpoints of chat")
    kept.unlink()


def test_a_kept_sheet_is_taken_up_again(bench: Run, folder: Path) -> None:
    """What was typed is worth more than the program's patience."""
    bench("label", "chat.jsonl")
    text = sheet.write(suite(folder)).replace(" budget = ", " price = ")
    (folder / "kept.txt").write_text(text, encoding="utf-8")
    assert 0 == bench("label", "chat.jsonl", "--sheet", "kept.txt")[0]
    assert "price" == suite(folder)["turns"][2]["memory"]["attribute"]


def test_an_emptied_sheet_changes_nothing(
    bench: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with a commit message: nothing is nothing."""
    bench("label", "chat.jsonl")
    before = (folder / "chat.suite.json").read_bytes()
    monkeypatch.setenv("EDITOR", editor(folder, ': > "$1"'))
    assert 0 == bench("label", "chat.jsonl", "--edit")[0]
    assert before == (folder / "chat.suite.json").read_bytes()


def test_an_editor_that_is_not_there_or_fails_is_said(
    bench: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The suite was written before, and the text is kept."""
    for command_, told in (
        ("no-such-editor", "cannot be started (No such file or directory); set EDITOR"),
        (editor(folder, "exit 3"), "ended with status 3"),
    ):
        monkeypatch.setenv("EDITOR", command_)
        status, _, err = bench("label", "chat.jsonl", "--edit")
        assert (2, True) == (status, told in err)
        Path(err.strip().rpartition("--sheet ")[2]).unlink()
    assert suite(folder)["turns"]


def test_a_real_value_that_a_person_writes_back_is_refused(
    bench: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The suite keeps its earlier text."""
    script = editor(folder, "sed -i 's/^  question: .*/  question: Is it P1234567?/' \"$1\"")
    monkeypatch.setenv("EDITOR", script)
    status, _, err = bench("label", "chat.jsonl", "--edit")
    assert (2, True) == (status, "would hold a real identifier" in err)
    assert "P1234567" not in err + (folder / "chat.suite.json").read_text()
    Path(err.strip().rpartition("--sheet ")[2]).unlink()


def test_several_conversations_are_several_suites(bench: Run, folder: Path) -> None:
    """Each has a number; one of which nothing can be said is told and left out."""
    jsonl(folder / "many.jsonl", SAID, ("What is the time?", "Thanks."), SAID[2:4])
    status, out, err = bench("label", "many.jsonl")
    assert (0, "") == (status, err)
    assert "suite: many-1.suite.json" in out
    assert "conversation 2: nothing was stated" in out
    assert ["many-1.suite.json", "many-3.suite.json"] == sorted(
        place.name for place in folder.glob("many*.suite.json")
    )
    status, _, err = bench("label", "many.jsonl", "--edit")
    assert (2, True) == (status, "3 conversations" in err)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nothing.jsonl"], "nothing.jsonl: cannot be read"),
        (["chat.jsonl", "--extractor", "rulse"], "did you mean 'rules'?"),
        (["chat.jsonl", "--out", "chat.jsonl"], "chat.jsonl"),
        (["chat.jsonl", "--window", "100"], "leaves no input space"),
        (["quiet.jsonl"], "Try another with --extractor"),
        (["chat.jsonl", "--out", "no/such/place.json"], "cannot be written"),
    ],
)
def test_what_cannot_be_is_said_and_nothing_is_written(
    bench: Run, folder: Path, arguments: list[str], told: str
) -> None:
    """Exit 2 and one line."""
    jsonl(folder / "quiet.jsonl", ("What is the time?", "Thanks."))
    held = (folder / "chat.jsonl").read_bytes()
    status, out, err = bench("label", *arguments)
    assert (2, "") == (status, out)
    assert told in err
    assert held == (folder / "chat.jsonl").read_bytes()
    assert [] == list(folder.glob("*.suite.json"))


def test_the_sheet_reads_back_what_it_wrote(folder: Path) -> None:
    """Line breaks, signs and quotation marks in a text go through."""
    (made,) = make(folder / "chat.jsonl", Wanted()).made
    data = made.data
    data["turns"][0]["memory"]["attribute"] = 'a = "b"'
    data["checkpoints"][0]["question"] = 'Two\nlines, "quoted" = yes # and a hash '
    again, lines = sheet.read(sheet.write(data, made.notes), data)
    assert data == again
    assert lines["turns[0]"] < lines["checkpoints[0].question"]
    assert data["checkpoints"] != []
    checked(data, "a")


def test_a_page_shows_what_the_suite_shows(bench: Run, folder: Path) -> None:
    """--html is the page of a run."""
    assert 0 == bench("label", "chat.jsonl", "--html", "page.html")[0]
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert "<html" in page
    assert [] == [value for value in REAL if value in page]


def test_a_person_at_a_terminal_is_asked_again_and_ctrl_c_keeps_the_text(folder: Path) -> None:
    """The loop of crontab -e: a mistake, again, then a Ctrl-C: 130, and the text is there."""
    script = editor(folder, "sed -i 's/^turn 1: remember/turn 1: rember/' \"$1\"")
    child = pexpect.spawn(
        sys.executable,
        ["-m", "palimpsest.cli", "bench", "label", "chat.jsonl", "--edit", *ESTIMATE],
        cwd=str(folder), env={**environment(), "EDITOR": script}, encoding="utf-8", timeout=60,
    )  # fmt: skip
    child.expect("mistake: line 16: 'rember'")
    child.expect("Edit the same text again")
    child.sendline("y")
    child.expect("mistake: line 16: 'rember'")
    child.expect("Edit the same text again")
    child.kill(signal.SIGINT)
    child.expect("the text is kept in (\\S+);")
    kept = Path(child.match.group(1))
    child.expect(pexpect.EOF)
    child.close()
    assert 130 == child.exitstatus
    assert "rember" in kept.read_text()
    os.unlink(kept)
