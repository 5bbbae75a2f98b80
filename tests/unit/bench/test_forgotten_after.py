"""What a suite forgets is looked for at every moment that a store goes through later."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from palimpsest import cli
from palimpsest.bench.forgotten_after import forgotten_after
from palimpsest.bench.forgotten_stages import STAGES, ForgottenAfter, Stage, as_json
from palimpsest.cli.forgotten_table import forgotten_table
from palimpsest.tokens.counter import TokenCounter
from palimpsest.tokens.local import LocalTokenizer
from tests.support.mutants import LATER
from tests.support.suites import MEETING, Words, data, made, meeting, point, run, turn


def after(suite: Any, *strategies: str) -> ForgottenAfter:
    found = run(suite, strategies or ("recent", "append-only", "managed"))
    return forgotten_after(found, TokenCounter(Words()))


def table(found: ForgottenAfter) -> list[str]:
    console = Console(width=100, highlight=False, color_system=None)
    with console.capture() as captured:
        for part in forgotten_table(found, 100):
            console.print(part)
    return captured.get().splitlines()


def test_a_sound_engine_sends_nothing_at_any_stage_and_the_baselines_do() -> None:
    """Each bound strategy is looked at, named or not; what does not apply is null, not empty."""
    found = as_json(after(meeting()))["strategies"]
    nothing = {"bound": True, **{stage.replace(" ", "_"): [] for stage in STAGES}}
    contrast = {
        "bound": False, "checkpoints": ["4711"], "consolidated": None, "restarted": ["4711"],
        "read_again": None, "moved": ["4711"],
    }  # fmt: skip
    assert {
        "recent": contrast, "append-only": contrast, "managed": nothing, "seats": nothing
    } == found  # fmt: skip


def test_a_suite_that_forgets_nothing_says_so() -> None:
    """No row of zeros stands for a check that was never made."""
    quiet = made(MEETING[:1], [point(1, ["room is Alder"])])
    found = after(quiet)
    assert {"facts": [], "strategies": {}} == as_json(found)
    assert ["forgotten after: nothing, the suite forgets no fact that it lists"] == table(found)


def test_a_statement_without_a_value_is_sent_at_no_stage() -> None:
    """An extractor that proposes it again, of old words, is refused by the hash of its word."""
    turns = (
        turn(1, "I am diabetic.", "remember", "health", assistant="So you are diabetic."),
        turn(2, "Forget that I am diabetic.", "forget", "health"),
        turn(3, "Lunch is at noon.", assistant="Since you are diabetic, no cake."),
        turn(4, "The room is Alder.", "remember", "room"),
    )
    found = as_json(after(made(turns, [point(2, deleted=["diabetic"]), point(4)])))["strategies"]
    assert [[]] * len(STAGES) == [found["managed"][s.replace(" ", "_")] for s in STAGES]
    assert ["diabetic"] == found["recent"]["checkpoints"]


def test_a_value_that_the_user_says_again_is_due_no_more() -> None:
    """The user may take a forget back; from then on the value is theirs to send."""
    turns = (*MEETING, turn(6, "My pin is 4711 after all.", "remember", "pin"))
    points = [point(5, deleted=["4711"]), point(6, ["4711"])]
    found = as_json(after(made(turns, points)))["strategies"]
    assert [] == found["managed"]["restarted"]
    assert ["4711"] == found["recent"]["checkpoints"]
    assert [] == found["recent"]["restarted"]


def test_a_later_checkpoint_is_looked_at_though_it_lists_nothing() -> None:
    """What was forgotten once stays due at checkpoints that do not name it."""
    points = [point(4, deleted=["4711"]), point(5)]
    (recent, *_) = after(made(MEETING, points)).strategies
    assert [4, 5] == [s.after for s in recent.sent if s.stage == "checkpoints"]


@pytest.mark.parametrize("stage", STAGES)
def test_a_fault_of_a_stage_is_seen_there(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every check can fail: a broken engine shows at the moment that its fault belongs to."""
    LATER[stage](monkeypatch)
    found = after(meeting(), "managed").strategies
    assert ("4711",) == next(one for one in found if one.key == "managed").facts(stage)


@pytest.mark.parametrize("stage", STAGES[1:])
def test_a_fault_of_a_stage_makes_the_check_exit_1(
    stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gemma: LocalTokenizer
) -> None:
    """Whatever the baseline holds: no baseline allows a forgotten value at a later moment."""
    points = [point(3), point(5, ["Birch & Co."], deleted=["4711"])]
    (tmp_path / "small.json").write_text(json.dumps(data(MEETING, points, 600)))
    baseline = tmp_path / "baseline.json"
    monkeypatch.chdir(tmp_path)
    LATER[stage](monkeypatch)
    bless = ["bench", "bless", "small.json", "--strategy", "managed", "--baseline", str(baseline)]
    assert 0 == cli.run(bless)
    status = cli.run(["bench", "check", str(baseline), "--json", "found.json", "--junit", "j.xml"])
    found = json.loads((tmp_path / "found.json").read_text())
    assert (1, "regression") == (status, found["verdict"])
    told = {(f["kind"], f["strategy"], f["variant"], f["fact"]) for f in found["findings"]}
    assert ("forgotten", "managed", stage, "4711") in told
    assert f'name="forgotten, {stage}"' in (tmp_path / "j.xml").read_text()


def test_the_table_tells_leaks_zeros_and_what_does_not_apply() -> None:
    """A number with its sign, a zero, a dash; baselines stand in brackets."""
    head, _, recent, managed, seats, legend = table(after(meeting(), "recent", "managed"))
    assert [
        "forgotten",
        "after,",
        "of",
        "1",
        "later",
        "consolidated",
        "restarted",
        "read",
        "again",
        "imported",
    ] == (head.split())
    assert ["(recent)", "!1", "-", "!1", "-", "!1"] == recent.split()
    assert ["managed", "0", "0", "0", "0", "0"] == managed.split()
    assert ["seats", "0", "0", "0", "0", "0"] == seats.split()
    assert legend.startswith("! sent   0 looked for, not sent   - does not apply")


def test_bench_run_shows_it_and_writes_it(
    tmp_path: Path, gemma: LocalTokenizer, capsys: pytest.CaptureFixture[str]
) -> None:
    """The table stands on the terminal, the facts by stage in the report."""
    (tmp_path / "small.json").write_text(json.dumps(data(MEETING, [point(5, deleted=["4711"])])))
    report = tmp_path / "report.json"
    command = ["bench", "run", str(tmp_path / "small.json"), "--json", str(report)]
    assert 0 == cli.run([*command, "--strategy", "managed", "--strategy", "recent"])
    assert "forgotten after, of 1" in capsys.readouterr().out
    written = json.loads(report.read_text())
    assert (1, ["4711"]) == (written["schema"], written["forgotten_after"]["facts"])
    assert [] == written["forgotten_after"]["strategies"]["managed"]["read_again"]
