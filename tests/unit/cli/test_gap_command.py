"""palimpsest bench gap and generate: the table of extractors, and suites from a seed."""

import json
from pathlib import Path

from tests.support.suites import MEETING, data, point
from tests.unit.cli.conftest import Run

POINTS = [point(2, ["room is Alder"]), point(5, ["Birch & Co."], ["room is Alder"], ["4711"])]


def _meeting(folder: Path) -> Path:
    path = folder / "meeting.json"
    path.write_text(json.dumps(data(MEETING, POINTS)))
    return path


def test_the_gap_is_a_row_an_extractor(bench: Run, tmp_path: Path) -> None:
    """Extractors down, checkpoints across, and what each was written on."""
    status, out, err = bench("gap", "--only", _meeting(tmp_path), "--misses")
    assert (0, "") == (status, err)
    assert "fed by" in out
    assert "written on: the labels of the suite itself" in out
    assert [True, True] == [f" {name}: " in out for name in ("labels", "rules")]


def test_a_run_with_extractors_adds_one_key(bench: Run, tmp_path: Path) -> None:
    """Without the option the report is byte for byte what it was."""
    path, plain, more = _meeting(tmp_path), tmp_path / "plain.json", tmp_path / "more.json"
    assert 0 == bench("run", path, "--json", plain)[0]
    status, out, _ = bench("run", path, "--json", more, "--extractor", "labels")
    assert (0, True) == (status, "fed by" in out)
    left, right = json.loads(plain.read_text()), json.loads(more.read_text())
    added = right.pop("extractors")
    assert left == right
    assert left["totals"]["managed"] == added["labels"]["totals"]["managed"]


def test_an_unknown_extractor_is_named_with_the_known_ones(bench: Run, tmp_path: Path) -> None:
    """The error says what there is."""
    status, _, err = bench("gap", "--only", _meeting(tmp_path), "--extractor", "rulez")
    assert 2 == status
    assert "rules" in err


def test_a_generated_suite_runs(bench: Run, tmp_path: Path) -> None:
    """What generate writes is a suite like any other."""
    path = tmp_path / "made.json"
    assert 0 == bench("generate", "--seed", 9, "--languages", "en", "--json", path, count=False)[0]
    status, out, _ = bench("run", path, "--strategy", "managed")
    assert (0, True) == (status, "generated-en-9" in out)


def test_a_second_family_of_sentences_is_written(bench: Run, tmp_path: Path) -> None:
    """By name; it has no part in the chat of many facts."""
    path = tmp_path / "made.json"
    family = ("--family", "second")
    made = bench(
        "generate", "--seed", 61, "--languages", "en", *family, "--json", path, count=False
    )
    assert 0 == made[0]
    assert 46 == len(json.loads(path.read_text(encoding="utf-8"))["turns"])
    status, _, err = bench("generate", "--seed", 1, "--facts", 50, *family, count=False)
    assert (2, True) == (status, "--family" in err)


def test_many_facts_are_written_in_english_only(bench: Run) -> None:
    """--facts has a form of its own, and says so."""
    status, _, err = bench("generate", "--seed", 1, "--facts", 50, "--turns", 9, count=False)
    assert (2, True) == (status, "leave out --languages, --turns and --family" in err)
