"""The forget suite holds without a model, can fail, and names what it misses."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter as Many
from pathlib import Path

import pytest

from palimpsest import Memory, cli
from palimpsest.bench.forget_suite import drawn, report
from palimpsest.bench.forget_suite.case import KINDS, SPLITS
from palimpsest.bench.forget_suite.made import cases
from palimpsest.bench.forget_suite.play import played
from palimpsest.config import Config
from palimpsest.tokens.counter import TokenCounter
from palimpsest.tokens.prepared import resolve

COUNTER = TokenCounter(resolve("estimate", Config()))
CONVERSATIONS = 100


def test_every_kind_has_twenty_cases_in_each_split() -> None:
    """The same cases each time they are made."""
    found = Many((case.kind, case.split) for case in cases())
    assert {(kind, split) for kind in KINDS for split in SPLITS} == set(found)
    assert min(found.values()) >= 20
    assert cases() == cases()


def test_every_kind_passes_in_the_held_out_split() -> None:
    """95 of 100 cases hold, and nothing else is lost beside a collision or in a compound."""
    outcomes = report.run(COUNTER, splits=("held-out",))
    assert [] == [(f.kind, f.held, f.cases) for f in report.figures(outcomes) if not f.passes]


def test_a_case_whose_forget_does_nothing_leaks(tmp_path: Path) -> None:
    """The grader sees a value that is still there, wherever it is shown."""
    case = next(case for case in cases() if case.kind == "repeated")
    kept = dataclasses.replace(case, said=(*case.said, dataclasses.replace(
        case.said[0], user="Something else.", attribute="other")), forget={"attribute": "other"})  # fmt: skip
    with Memory.open(":memory:", counter=COUNTER) as memory:
        outcome = played(kept, memory.conversation(user="u", id="c"))
    assert {"managed(quota=4000)", "seats(quota=4000)", "turns", "memories"} == set(outcome.leaks)


def test_random_conversations_hold_nothing_forgotten(tmp_path: Path) -> None:
    """A hundred of them: no forgotten value in a request or a file, none stale, none missing."""
    faults: dict[int, list[str]] = {}
    forgets = 0
    for seed in range(CONVERSATIONS):
        if seed % 25 == 0:
            directory = tmp_path / str(seed)
            directory.mkdir()
            memory = Memory.open(directory / "m.db", counter=COUNTER)
        made = drawn.play(memory, seed, steps=12, place=directory)
        forgets += made.forgets
        if made.faults:
            faults[seed] = made.faults
        if seed % 25 == 24:
            memory.close()
    assert {} == faults
    assert forgets > CONVERSATIONS // 2


def test_the_command_prints_figures_and_holds_the_gate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit status 1 with a kind that falls short, and the report names the case."""
    some = [case for case in cases() if case.name == "pin" and case.split == "dev"]
    wrong = dataclasses.replace(some[0], gone=("walks",), name="never gone")
    monkeypatch.setattr(report, "cases", lambda: (*some, wrong))
    target = tmp_path / "r.json"
    assert 1 == cli.run(["bench", "forget", "--split", "dev", "--json", str(target)])
    shown = capsys.readouterr().out
    assert "miss: exact, dev, never gone: leaks into managed(quota=4000)" in shown
    told = json.loads(target.read_text())
    assert (False, ["never gone"]) == (told["passes"], [miss["case"] for miss in told["misses"]])
    monkeypatch.setattr(report, "cases", lambda: some)
    assert 0 == cli.run(["bench", "forget", "--split", "dev"])
