"""A JSON result appears whole or not at all, and its place is tried before the work."""

import json
from pathlib import Path

import pytest

from palimpsest.cli.json_output import json_output
from palimpsest.errors import InputError


def test_a_file_appears_whole(tmp_path: Path) -> None:
    """The value is written as JSON, and no draft is left beside it."""
    target = tmp_path / "report.json"
    with json_output(str(target)) as write:
        assert not target.exists()
        write({"city": "Évora"})
    assert {"city": "Évora"} == json.loads(target.read_text(encoding="utf-8"))
    assert [target] == list(tmp_path.iterdir())


def test_an_interrupted_run_leaves_the_earlier_file(tmp_path: Path) -> None:
    """A run that fails neither changes the file nor leaves a draft."""
    target = tmp_path / "report.json"
    target.write_text("earlier")

    def interrupted() -> None:
        with json_output(str(target)):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert "earlier" == target.read_text()
    assert [target] == list(tmp_path.iterdir())


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    """Writing through a link replaces the file that it leads to."""
    target, link = tmp_path / "real.json", tmp_path / "link.json"
    target.write_text("earlier")
    link.symlink_to(target)
    with json_output(str(link)) as write:
        write({"a": 1})
    assert link.is_symlink()
    assert {"a": 1} == json.loads(target.read_text())


def test_a_mode_is_kept(tmp_path: Path) -> None:
    """A replaced file keeps who may read it."""
    target = tmp_path / "report.json"
    target.write_text("earlier")
    target.chmod(0o640)
    with json_output(str(target)) as write:
        write({})
    assert 0o640 == target.stat().st_mode & 0o777


@pytest.mark.parametrize("target", [".", "none/report.json"], ids=["a folder", "no such folder"])
def test_an_impossible_place_is_told_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str
) -> None:
    """A path that cannot be written is an error before anything runs."""
    monkeypatch.chdir(tmp_path)
    ran = False

    def work() -> None:
        nonlocal ran
        with json_output(target):
            ran = True

    with pytest.raises(InputError, match="--json "):
        work()
    assert not ran


def test_a_device_is_written_and_not_replaced() -> None:
    """A device stays what it is."""
    with json_output("/dev/null") as write:
        write({"a": 1})
    assert Path("/dev/null").is_char_device()


def test_nan_is_never_written(tmp_path: Path) -> None:
    """A number that JSON does not have is refused, and no file appears."""
    with pytest.raises(ValueError, match="Out of range"), json_output(str(tmp_path / "r")) as write:
        write({"a": float("nan")})
    assert [] == list(tmp_path.iterdir())


def test_a_dash_is_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    """Standard output carries the JSON and nothing else."""
    with json_output("-") as write:
        write({"a": 1})
    assert {"a": 1} == json.loads(capsys.readouterr().out)
