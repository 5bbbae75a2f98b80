"""palimpsest bench bless and check: the baseline moves by one word only; the status is the verdict."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from palimpsest import cli
from palimpsest.bench import run
from palimpsest.bench.forgotten_stages import ForgottenAfter
from tests.support.mutants import MUTANTS
from tests.support.suites import MEETING, data, point
from tests.support.tokenizers import word_folder

Call = Callable[..., tuple[int, str, str]]
POINTS = (
    point(2, ["room is Alder", "4711"]),
    point(5, ["Birch & Co."], ["room is Alder"], ["4711"]),
)


@pytest.fixture(autouse=True)
def graded_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Checkpoints alone: ``test_forgotten_after`` has the faults of later moments."""
    monkeypatch.setattr(run, "forgotten_after", lambda *_: ForgottenAfter())


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with a suite of its own and a tokenizer."""
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)
    word_folder(tmp_path / "words")
    (tmp_path / "meeting.json").write_text(json.dumps(data(MEETING, POINTS)))
    return tmp_path


@pytest.fixture
def bench(home: Path, capsys: pytest.CaptureFixture[str]) -> Call:
    def call(*arguments: object) -> tuple[int, str, str]:
        status = cli.run(["bench", *map(str, arguments)])
        out = capsys.readouterr()
        return status, out.out, out.err

    return call


@pytest.fixture
def blessed(bench: Call, home: Path) -> Path:
    status, out, err = bench("bless", "meeting.json", "--tokenizer", "./words")
    assert (0, "") == (status, err)
    assert "baseline: palimpsest-baseline.json" in out
    return home / "palimpsest-baseline.json"


def test_what_was_blessed_passes(bench: Call, blessed: Path) -> None:
    """A check without arguments reads the default path and runs what was blessed."""
    status, out, err = bench("check")
    assert (0, "") == (status, err)
    assert "verdict: pass (0), 8 cases are as blessed" == out.strip()


def test_a_leak_is_named_and_exits_1(
    bench: Call, blessed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Case, strategy, fact, turn and sentence; the printed verdict is the status."""
    MUTANTS["forget ignored"](monkeypatch)
    status, out, _ = bench("check")
    assert 1 == status
    first, why = out.splitlines()[:2]
    assert " ! meeting managed turn 5: now sends the forgotten '4711'" == first
    assert "forgotten at turn 4, sent in " in why
    assert "'- [#2, turn-2] My pin is 4711.'" in why
    assert "turn 2 (user) 'My pin is 4711.'" in why
    assert out.splitlines()[-1].startswith("verdict: regression (1), 1 forgotten fact sent")


@pytest.mark.parametrize("more", [[], ["--markdown", "-"], ["--junit", "-"]])
def test_a_reader_that_has_seen_enough_changes_no_status(
    bench: Call, blessed: Path, home: Path, more: list[str]
) -> None:
    """`bench check | head -1` in a pipeline that looks at every status still fails."""
    (home / "meeting.json").write_text(json.dumps(data(MEETING, POINTS[1:])))
    read, write = os.pipe()
    os.close(read)
    code = "import sys; from palimpsest.cli import main; main(sys.argv[1:])"
    done = subprocess.run(
        [sys.executable, "-c", code, "bench", "check", *more], stdout=write, stderr=subprocess.PIPE,
        text=True, check=False, cwd=home,
    )  # fmt: skip
    os.close(write)
    assert (2, "") == (done.returncode, done.stderr)


def test_a_check_never_moves_the_baseline(
    bench: Call, blessed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only bless does, and after it the same run passes, except for a leak."""
    before = blessed.read_bytes()
    MUTANTS["escaping off"](monkeypatch)
    assert 1 == bench("check")[0]
    assert before == blessed.read_bytes()
    assert 0 == bench("bless", "meeting.json", "--tokenizer", "./words")[0]
    assert before != blessed.read_bytes()
    assert 0 == bench("check")[0]


def test_a_blessed_leak_goes_on_blocking(
    bench: Call, blessed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bless says so, and the check exits 1 for the bound strategy only."""
    MUTANTS["forget ignored"](monkeypatch)
    _, out, _ = bench("bless", "meeting.json", "--tokenizer", "./words")
    assert "! meeting managed turn 5: still sends '4711'; no baseline can allow that" in out
    status, out, _ = bench("check")
    assert 1 == status
    assert 1 == out.count("no baseline can allow")


def test_every_report_is_written_and_says_the_same(
    bench: Call, blessed: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """JUnit, Markdown, JSON and annotations of one check."""
    MUTANTS["redaction off"](monkeypatch)
    status, out, _ = bench(
        "check", blessed, "--junit", "j.xml", "--markdown", "c.md", "--json", "f.json", "--github"
    )
    assert 1 == status
    assert "::error file=" in out
    findings = json.loads((home / "f.json").read_text())
    assert ("regression", 1) == (findings["verdict"], findings["exit_status"])
    leak = next(f for f in findings["findings"] if f["kind"] == "forgotten")
    assert ("meeting", "managed", 5, "4711", True) == (
        leak["suite"], leak["strategy"], leak["after"], leak["fact"], leak["blocks"],
    )  # fmt: skip
    failures = ET.parse(home / "j.xml").getroot().iter("failure")
    assert "forgotten" in {failure.get("type") for failure in failures}
    assert "now sends the forgotten '4711'" in (home / "c.md").read_text()


def test_markdown_on_standard_output_stands_alone(bench: Call, blessed: Path) -> None:
    """What a bot posts is all that is printed, and two streams are refused."""
    status, out, _ = bench("check", "--markdown", "-")
    assert 0 == status
    assert out.startswith("<!-- palimpsest bench check -->\n### palimpsest: as blessed\n")
    assert "verdict:" not in out
    status, out, err = bench("check", "--markdown", "-", "--github")
    assert (2, "") == (status, out)
    assert "only one may use standard output" in err


def test_another_suite_or_other_settings_are_refused(
    bench: Call, blessed: Path, home: Path
) -> None:
    """By hash, with what differs; the reports say it too, and the status is 2."""
    (home / "other.toml").write_text("[facts]\nquota = 9\n")
    status, out, _ = bench("check", "--config", "other.toml", "--junit", "j.xml")
    assert 2 == status
    assert "meeting: the settings differ: blessed sha256:" in out
    assert "(facts.quota 160 -> 9)" in out
    assert "verdict: error (2), nothing was compared" == out.splitlines()[-1]
    assert 1 == len(list(ET.parse(home / "j.xml").getroot().iter("error")))
    (home / "meeting.json").write_text(json.dumps(data(MEETING, POINTS[1:])))
    status, out, _ = bench("check")
    assert 2 == status
    assert "meeting: the suite differs: blessed sha256:" in out


def test_another_tokenizer_is_refused(bench: Call, blessed: Path) -> None:
    """Its name and fingerprint are told."""
    status, out, _ = bench("check", "--tokenizer", "estimate")
    assert 2 == status
    assert "meeting: the tokenizer differs: blessed " in out


@pytest.mark.parametrize(
    ("break_it", "told"),
    [
        (lambda path: path.unlink(), "there is no baseline"),
        (lambda path: path.write_text("{"), "is not valid JSON"),
        (lambda path: path.write_text(path.read_text().replace("4711", "4712")), "was changed after"),
        (lambda path: (path.parent / "meeting.json").unlink(), "no such suite file"),
        (lambda path: (path.parent / "meeting.json").write_text("{}"), "meeting.json"),
    ],
)  # fmt: skip
def test_what_cannot_run_is_an_error_in_every_report(
    bench: Call, blessed: Path, home: Path, break_it: Callable[[Path], object], told: str
) -> None:
    """One line on standard error, status 2, and no report that looks like a pass."""
    break_it(blessed)
    status, out, err = bench("check", "--markdown", "c.md")
    assert 2 == status
    assert err.startswith("error: ")
    assert told in err
    assert "verdict: error (2), nothing was compared" in out
    assert told in (home / "c.md").read_text()


def test_paths_are_kept_as_seen_from_the_baseline(
    bench: Call, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Suite and settings are found from any working directory, and no machine is named."""
    (home / "s.toml").write_text("[facts]\nquota = 90\n")
    (home / "gate").mkdir()
    words = str(home / "words")
    status, _, _ = bench(
        "bless", "meeting.json", "--config", "s.toml", "--tokenizer", words,
        "--baseline", "gate/b.json",
    )  # fmt: skip
    assert 0 == status
    ran = json.loads((home / "gate" / "b.json").read_text())["ran"]
    assert (["../meeting.json"], "../s.toml") == (ran["suites"], ran["config"])
    monkeypatch.chdir(home / "gate")
    assert 0 == bench("check", "b.json")[0]


def test_a_strategy_of_the_baseline_is_run_again(bench: Call, home: Path) -> None:
    """Specs are kept; others on the command line are another question."""
    bench("bless", "meeting.json", "--tokenizer", "./words", "--strategy", "managed(quota=33)")
    assert 0 == bench("check")[0]
    status, out, _ = bench("check", "--strategy", "managed")
    assert 2 == status
    assert "the strategies differ: blessed managed(quota=33), now managed" in out


def test_a_baseline_appears_whole_or_not_at_all(bench: Call, blessed: Path, home: Path) -> None:
    """A run that fails leaves the earlier file, and no draft beside it."""
    before = blessed.read_bytes()
    status, _, err = bench("bless", "none.json", "--tokenizer", "./words")
    assert 2 == status
    assert "no such suite file" in err
    assert before == blessed.read_bytes()
    assert [] == [path.name for path in home.iterdir() if path.name.endswith(".part")]
    status, _, err = bench("bless", "meeting.json", "--baseline", "none/b.json")
    assert (2, True) == (status, "--baseline none/b.json: cannot be written" in err)
    status, _, err = bench("bless", "meeting.json", "--baseline", "-")
    assert (2, True) == (status, "a baseline is a file" in err)
