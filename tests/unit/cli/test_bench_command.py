"""palimpsest bench: runs suites, tells what is wrong with its arguments, exits 2."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from palimpsest.bench import suite_file
from tests.support.suites import MEETING, data, point

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def meeting_file(tmp_path: Path) -> Path:
    path = tmp_path / "meeting.json"
    points = [point(5, ["Birch & Co."], ["room is Alder"], ["4711"])]
    path.write_text(json.dumps(data(MEETING, points)))
    return path


def test_a_run_prints_the_table_and_says_where_the_report_went(
    bench: Run, meeting_file: Path, tmp_path: Path
) -> None:
    """A leak is a result: the run is done and exits 0."""
    status, out, err = bench("run", meeting_file, "--json", tmp_path / "report.json")
    assert (0, "") == (status, err)
    assert "append-only still sends '4711' at turn 5: forgotten at turn 4" in out
    assert out.rstrip().endswith(f"report: {tmp_path / 'report.json'}")
    report = json.loads((tmp_path / "report.json").read_text())
    assert (1, "meeting") == (report["schema"], report["suite"]["name"])


def test_json_on_standard_output_stands_alone(bench: Run, meeting_file: Path) -> None:
    """With --json - nothing but the report is on standard output."""
    status, out, _ = bench("run", meeting_file, "--json", "-")
    assert 0 == status
    assert {"found": 1, "required": 1, "stale": 0, "deleted": 0} == json.loads(out)["totals"][
        "managed"
    ]


def test_specs_settings_and_sweep_reach_the_run(
    bench: Run, meeting_file: Path, tmp_path: Path
) -> None:
    """Strategies, a settings file and a sweep are taken from the command line."""
    settings = tmp_path / "settings.toml"
    settings.write_text("[facts]\nquota = 77\n[budget]\nwindow = 300\nanswer = 100\n")
    _, out, _ = bench(
        "run", meeting_file, "--strategy", "managed", "--strategy", "append-only(quota=9)",
        "--config", settings, "--sweep", "quota=5,50,5", "--json", "-",
    )  # fmt: skip
    report = json.loads(out)
    assert ["managed", "append-only"] == list(report["checkpoints"])
    assert "append-only(quota=9)" == report["strategies"]["append-only"]
    assert (77, 200) == (report["facts_quota"], report["input_budget"])
    assert {"5": ["managed"], "50": ["managed"]} == {
        quota: list(totals) for quota, totals in report["quota_sweep"].items()
    }


def test_sweeps_reach_report_and_terminal(bench: Run, meeting_file: Path, tmp_path: Path) -> None:
    """Every point has its budget and rows in the report, and a line in the table."""
    report = tmp_path / "report.json"
    _, out, _ = bench(
        "run", meeting_file, "--sweep", "answer=0..260:130,395", "--sweep", "managed(quota=0..50:50)",
        "--json", report,
    )  # fmt: skip
    sweeps = json.loads(report.read_text())["sweeps"]
    assert ["answer=0..260:130,395", "managed(quota=0..50:50)"] == list(sweeps)
    points = sweeps["answer=0..260:130,395"]
    assert ["answer=0", "answer=130", "answer=260", "answer=395"] == list(points)
    assert 140 == points["answer=260"]["input_budget"]
    assert {"found", "required", "stale", "deleted"} == set(points["answer=0"]["totals"]["managed"])
    assert 5 == points["answer=0"]["checkpoints"]["recent"][0]["after"]
    assert "the required part" in points["answer=395"]["refused"]
    assert "x answer=395: " in out
    assert ["answer=130", "270"] == next(
        line.split()[:2] for line in out.splitlines() if line.startswith("answer=130")
    )
    assert "= recent finds the same 1 required facts at every point" in out


def test_requests_are_added_on_demand(bench: Run, meeting_file: Path) -> None:
    """--requests puts messages and ledgers into the report."""
    _, out, _ = bench("run", meeting_file, "--requests", "--json", "-")
    report = json.loads(out)
    assert 4 == len(report["requests"])
    assert report["texts"]


def test_several_suites_stand_under_their_names(
    bench: Run, meeting_file: Path, tmp_path: Path
) -> None:
    """Two suites make two reports in one file."""
    other = tmp_path / "other.json"
    other.write_text(meeting_file.read_text())
    _, out, _ = bench("run", meeting_file, other, "--json", "-")
    assert ["meeting", "other"] == list(json.loads(out)["suites"])


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["travel-5"], "no suite is named 'travel-5' and no file has that path; did you mean "),
        (["none.json"], "none.json: no such suite file; built in are travel-50, edges, atelier-60"),
        (["."], "is a directory; give the path of a suite file"),
        (["edges", "--strategy", "manged"], "did you mean 'managed'?"),
        (["edges", "--strategy", "managed(quote=3)"], "managed(quote=3)"),
        (
            ["edges", "--sweep", "quota=a"],
            "--sweep 'quota=a': 'a' is neither a whole number of tokens",
        ),
        (["edges", "--sweep", "reserve=3"], "--sweep 'reserve=3'"),
        (["edges", "--sweep", "answer=9..3"], "'9..3' runs backwards"),
        (["edges", "--requests"], "--requests: adds to the JSON report"),
        (["edges", "edges"], "two suites of this run are named 'edges'"),
        (["edges", "--json", "none/report.json"], "--json none/report.json: cannot be written"),
        (["edges", "--config", "none.toml"], "none.toml: cannot be read"),
    ],
)
def test_a_wrong_argument_is_told_and_nothing_runs(
    bench: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], told: str
) -> None:
    """Each mistake is one clear line on standard error and exit status 2."""
    monkeypatch.chdir(tmp_path)
    status, out, err = bench("run", *arguments)
    assert (2, "") == (status, out)
    assert told in err
    assert "Traceback" not in err


@pytest.mark.parametrize("content", [b'{"turns": [', b"\x80\x01", b"[]", b"{}"])
def test_a_broken_file_is_told_and_nothing_runs(bench: Run, tmp_path: Path, content: bytes) -> None:
    """Truncated JSON, bytes and other JSON are refused with the file's name."""
    path = tmp_path / "broken.json"
    path.write_bytes(content)
    status, out, err = bench("run", path)
    assert (2, "") == (status, out)
    assert f"error: {path}: " in err


def test_a_budget_below_the_question_is_told_with_its_place(
    bench: Run, meeting_file: Path, tmp_path: Path
) -> None:
    """The refusal names suite, checkpoint and sizes, and leaves no report behind."""
    small = tmp_path / "small.toml"
    small.write_text("[budget]\nwindow = 6\nanswer = 1\n")
    report = tmp_path / "report.json"
    status, out, err = bench("run", meeting_file, "--config", small, "--json", report)
    assert (2, "") == (status, out)
    assert "suite 'meeting', checkpoint after turn 5: the required part" in err
    assert not report.exists()


def test_the_built_in_suites_are_listed(bench: Run) -> None:
    """Names, sizes and what each is for, a line each."""
    status, out, _ = bench("suites", count=False)
    assert 0 == status
    assert ["travel-50", "edges", "atelier-60", "generated-6", "generated-6b", "generated-320"] == [
        line.split()[0] for line in out.splitlines()
    ]


def test_the_schema_is_printed(bench: Run) -> None:
    """The printed schema is the one that files are checked by."""
    _, out, _ = bench("schema", count=False)
    assert suite_file.schema() == json.loads(out)


def test_progress_stays_off_standard_output(
    bench: Run, meeting_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slow run shows its progress on standard error, and the report stands alone."""
    monkeypatch.setattr("palimpsest.cli.late_progress.QUIET_SECONDS", -1.0)
    monkeypatch.setenv("FORCE_COLOR", "1")
    status, out, err = bench("run", meeting_file, "--json", "-")
    assert 0 == status
    assert 1 == json.loads(out)["schema"]
    assert "meeting" in err
