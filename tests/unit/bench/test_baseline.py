"""baseline: what a run leaves as a file, and that nothing but bless can move it."""

import hashlib
import json
from pathlib import Path

import pytest

from palimpsest import __version__
from palimpsest.bench.baseline import Ran, dumps, load, loads, record, request_hash
from palimpsest.bench.source import source_hash
from palimpsest.errors import InputError, NotFound
from tests.support.baselines import case, of
from tests.support.suites import meeting, run


def test_a_run_becomes_one_case_for_each_strategy_checkpoint_and_quota() -> None:
    """What each missed and leaked, and a hash of exactly what was sent."""
    made = record([run(meeting(settings={"sweep": {"quota": [160, 20]}}))], Ran())
    (suite,) = made.suites
    assert (__version__, source_hash()) == (made.palimpsest, made.code)
    assert ("managed",) == suite.bound
    keys = [c.key for c in suite.cases]
    assert len(set(keys)) == len(keys) == 4 * 2 + 2 * 2
    assert ("append-only", 5, "quota=20") in keys
    assert ("managed", 2, "quota=160") not in keys, "the quota of the run itself stands once"
    recent = next(c for c in suite.cases if c.key == ("recent", 5, ""))
    assert (("room is Alder",), ("4711",)) == (recent.stale, recent.deleted)
    assert {"append-only", "managed"} == set(suite.storage)


def test_the_hash_of_a_request_covers_messages_and_tools() -> None:
    """One other word is another hash; equal requests have one."""
    found = run(meeting())
    rows = [row for rows in found.rows.values() for row in rows]
    hashes = {request_hash(row.request) for row in rows}
    assert len({json.dumps(row.request.messages) for row in rows}) == len(hashes)
    assert all(text.startswith("sha256:") and len(text) == 71 for text in hashes)


def test_a_file_reads_back_as_it_was_written() -> None:
    """Writing and reading lose nothing."""
    made = record([run(meeting())], Ran(suites=("a.json",), config="x.toml"))
    assert made == loads(dumps(made), where="b.json")


def test_a_missing_baseline_names_the_command(tmp_path: Path) -> None:
    """The next step stands in the error."""
    with pytest.raises(NotFound, match="write one with `palimpsest bench bless --baseline"):
        load(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda text: text[:-20], "is not valid JSON"),
        (lambda text: "[]", "is JSON, but no baseline"),
        (lambda text: "{}", "is JSON, but no baseline"),
        (lambda text: text.replace('"schema": 1', '"schema": 2'), "is a baseline of schema 2"),
        (
            lambda text: text.replace('"tokens": 100', '"tokens": 99'),
            "changed after it was blessed",
        ),
        (lambda text: text.replace("sum", "som"), "changed after it was blessed"),
    ],
)
def test_a_file_that_bless_did_not_write_is_refused(change: object, told: str) -> None:
    """Cut, edited or merged by hand: the error says so and names the command."""
    assert callable(change)
    with pytest.raises(InputError, match=told) as caught:
        loads(change(dumps(of(case()))), where="b.json")
    assert "`palimpsest bench bless --baseline b.json`" in str(caught.value)


def test_a_file_of_another_shape_is_refused() -> None:
    """A sum that fits does not make other keys right."""
    made = json.loads(dumps(of(case())))
    made["suites"][0]["cases"][0]["tokens"] = "many"
    made.pop("sum")
    text = json.dumps(made, ensure_ascii=False, separators=(",", ":"))
    made["sum"] = "sha256:" + hashlib.sha256(text.encode()).hexdigest()
    with pytest.raises(InputError, match=r"suites\.0\.cases\.0\.tokens: "):
        loads(json.dumps(made), where="b.json")


def test_a_folder_or_bytes_are_refused(tmp_path: Path) -> None:
    """What cannot be read is told in one line."""
    with pytest.raises(InputError, match="cannot be read"):
        load(tmp_path)
    (tmp_path / "b.json").write_bytes(b"\x80")
    with pytest.raises(InputError, match="is not UTF-8"):
        load(tmp_path / "b.json")
