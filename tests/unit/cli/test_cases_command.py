"""palimpsest bench cases: runs a case set, tells what is wrong with its arguments, exits 2."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from palimpsest.bench import case_file
from tests.support.cases import case

Run = Callable[..., tuple[int, str, str]]
BOTH = [case("a"), case("b", "held_out", required=["Rain again"], stale=[])]


@pytest.fixture
def case_set(tmp_path: Path) -> Path:
    path = tmp_path / "glue.json"
    path.write_text(json.dumps(BOTH))
    return path


def test_a_run_prints_strategies_by_split_and_says_where_the_report_went(
    bench: Run, case_set: Path, tmp_path: Path
) -> None:
    """A missed fact is a result: the run is done and exits 0."""
    status, out, err = bench("cases", case_set, "--json", tmp_path / "report.json")
    assert (0, "") == (status, err)
    lines = [line.split() for line in out.splitlines()]
    assert ["dev", "recent", "1/1", "1/1", "~1"] in [line[:5] for line in lines]
    assert ["held-out", "recent", "1/1", "1/1", "0"] in [line[:5] for line in lines]
    assert " - b lacks 'Rain again' in relevant" in out
    assert "does not say whether its held-out split is blind" in out
    assert out.rstrip().endswith(f"report: {tmp_path / 'report.json'}")
    report = json.loads((tmp_path / "report.json").read_text())
    assert (1, "glue") == (report["schema"], report["case_set"])


def test_json_on_standard_output_stands_alone(bench: Run, case_set: Path) -> None:
    """With --json - nothing but the report is on standard output."""
    status, out, _ = bench("cases", case_set, "--json", "-")
    assert 0 == status
    assert [
        "recent",
        "relevant",
        "notes",
        "hybrid",
        "relevant(stem=true)",
        "hybrid(stem=true)",
    ] == (list(json.loads(out)["summary"]))


def test_the_built_in_set_runs_where_none_is_named(bench: Run) -> None:
    """And says of itself that its held-out split is not blind."""
    status, out, _ = bench("cases")
    assert 0 == status
    assert out.startswith("selection-12  12 cases (6 dev, 6 held-out), budget 256 tokens")
    assert "The held-out split is NOT blind." in out


def test_strategies_splits_and_settings_reach_the_run(
    bench: Run, case_set: Path, tmp_path: Path
) -> None:
    """What is asked for on the command line is what is run."""
    settings = tmp_path / "settings.toml"
    settings.write_text("[budget]\nwindow = 300\nanswer = 100\n")
    _, out, _ = bench(
        "cases", case_set, "--strategy", "managed", "--strategy", "notes(reserve=9)", "--config",
        settings, "--split", "dev", "--json", "-",
    )  # fmt: skip
    report = json.loads(out)
    assert {"managed": "managed", "notes": "notes(reserve=9)"} == report["strategies"]
    assert [["dev"], ["dev"]] == [list(summary) for summary in report["summary"].values()]
    _, out, _ = bench("cases", case_set, "--split", "dev")
    assert "held-out" not in out


def test_a_case_that_moved_since_the_baseline_is_refused(
    bench: Run, case_set: Path, tmp_path: Path
) -> None:
    """The recorded report holds the splits; nothing runs and no report is written."""
    report = tmp_path / "report.json"
    assert 0 == bench("cases", case_set, "--json", report)[0]
    assert 0 == bench("cases", case_set, "--baseline", report)[0]
    case_set.write_text(json.dumps([BOTH[0], {**BOTH[1], "split": "dev"}]))
    status, out, err = bench("cases", case_set, "--baseline", report, "--json", tmp_path / "new")
    assert (2, "") == (status, out)
    assert f"case 'b' is 'dev' here and was 'held_out' in {report}" in err
    assert not (tmp_path / "new").exists()


def test_more_strategies_than_fit_the_width_are_shown_under_each_other(
    bench: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No cell is cut off."""
    monkeypatch.setenv("COLUMNS", "64")
    path = tmp_path / "long.json"
    path.write_text(json.dumps([case("a-case-whose-name-is-long")]))
    _, out, _ = bench("cases", path)
    assert 2 == sum(line.startswith("case") for line in out.splitlines())
    assert "…" not in out


def test_a_large_set_leaves_its_rows_to_the_report(bench: Run, tmp_path: Path) -> None:
    """The terminal shows the splits; the rows are in the report, all of them."""
    path = tmp_path / "many.json"
    path.write_text(json.dumps([case(f"c{i}") for i in range(41)]))
    _, out, _ = bench("cases", path, "--strategy", "recent")
    assert "41 cases: --json PATH writes the row of each" in out
    assert " c40 " not in out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["selection"], "no case set is named 'selection' and no file has that path; did you mean "),
        (["none.json"], "none.json: no such case-set file; built in: selection-12"),
        (["."], ".: is a directory; give the path of a case-set file"),
        (["selection-12", "--strategy", "relevent"], "did you mean 'relevant'?"),
        (["selection-12", "--split", "test"], "'test' is not one of 'dev', 'held_out'"),
        (["selection-12", "--baseline", "none.json"], "none.json: cannot be read"),
        (["selection-12", "--config", "none.toml"], "none.toml: cannot be read"),
        (["dev.json", "--split", "held_out"], "--split held_out: dev has no such cases; it has 'dev'"),
        (["suite.json"], "run `palimpsest bench run suite.json`"),
        (["broken.json"], "error: broken.json: is not valid JSON at line 1"),
        (["bytes.json"], "bytes.json: is not UTF-8 text (byte 0), so it is no case-set file"),
    ],
)  # fmt: skip
def test_a_wrong_argument_is_told_and_nothing_runs(
    bench: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], told: str
) -> None:
    """Each mistake is one clear line on standard error and exit status 2."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dev.json").write_text(json.dumps([case()]))
    (tmp_path / "suite.json").write_text('{"turns": [], "checkpoints": []}')
    (tmp_path / "broken.json").write_text('[{"id": ')
    (tmp_path / "bytes.json").write_bytes(b"\x80\x01")
    status, out, err = bench("cases", *arguments)
    assert (2, "") == (status, out)
    assert told in err
    assert "Traceback" not in err


def test_a_case_set_given_to_bench_run_is_told_the_right_command(
    bench: Run, case_set: Path
) -> None:
    """A file is recognised by its shape."""
    status, _, err = bench("run", case_set)
    assert 2 == status
    assert f"run `palimpsest bench cases {case_set}`" in err


def test_the_schema_of_a_case_set_is_printed(bench: Run) -> None:
    """The printed schema is the one that files are checked by."""
    _, out, _ = bench("schema", "--cases", count=False)
    assert case_file.schema() == json.loads(out)


def test_progress_stays_off_standard_output(
    bench: Run, case_set: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slow run shows its progress on standard error, and the report stands alone."""
    monkeypatch.setattr("palimpsest.cli.late_progress.QUIET_SECONDS", -1.0)
    monkeypatch.setenv("FORCE_COLOR", "1")
    status, out, err = bench("cases", case_set, "--json", "-")
    assert 0 == status
    assert 1 == json.loads(out)["schema"]
    assert "cases" in err
