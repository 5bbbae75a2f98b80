"""A recording that holds something twice is refused, with the line: nothing counts double."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from palimpsest.bench.answers import published
from palimpsest.chat import ModelIdentity, Sampling
from palimpsest.errors import InputError
from palimpsest.models import recordings
from palimpsest.models.recordings import GivenAnswer, Head

HEAD = Head(
    suite="s", suite_hash="sha256:0", config="c", tokenizer="t", tokenizer_fingerprint="f",
    model=ModelIdentity(model="m", digest=None, pinned=False, server="s"), sampling=Sampling(),
)  # fmt: skip


def recorded(path: Path) -> list[str]:
    """The lines of a recording with one answer."""
    with recordings.journal(path, HEAD) as kept:
        kept.add_answer(GivenAnswer(strategy="s", case="turn 1", seed=1, answer="Porto."))
    return path.read_text(encoding="utf-8").splitlines(keepends=True)


def refused(path: Path, lines: list[str]) -> str:
    """What the reader says of these lines."""
    path.write_text("".join(lines), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        published.load(path)
    return str(caught.value)


def test_the_same_answer_twice_is_refused_with_its_line(tmp_path: Path) -> None:
    """One request and one seed have one answer; a second would be graded as another trial."""
    path = tmp_path / "a.jsonl"
    head, answer = recorded(path)
    said = refused(path, [head, answer, answer])
    assert said.startswith(f"{path}: line 3: ")
    assert "stands twice: ('s', 'turn 1', 1)" in said


def test_two_recordings_in_one_file_are_refused_as_such(tmp_path: Path) -> None:
    """A second head says that files were joined, and at which line."""
    path = tmp_path / "a.jsonl"
    lines = recorded(path)
    said = refused(path, lines + lines)
    assert said.startswith(f"{path}: line 3: ")
    assert "is a second head: two recordings were joined" in said


def test_a_line_that_lacks_a_field_names_it(tmp_path: Path) -> None:
    """The field is told in words, not as an exception."""
    path = tmp_path / "a.jsonl"
    head, answer = recorded(path)
    row = json.loads(answer)
    del row["tool_calls"]
    said = refused(path, [head, json.dumps(row) + "\n"])
    assert "line 2: is no line of a recording (it lacks 'tool_calls')" in said


def test_the_published_form_is_refused_for_the_same_seed_twice(tmp_path: Path) -> None:
    """It has no lines, so the answer is named."""
    path = tmp_path / "a.json"
    rows = [{"seed": 1, "answer": "a"}, {"seed": 1, "answer": "b"}]
    said = refused(path, [json.dumps({"answers": {"s": rows}})])
    assert "stands twice: ('s', 'request', 1)" in said
