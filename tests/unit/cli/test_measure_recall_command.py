"""``palimpsest measure recall``: the tables, the thresholds and the JSON."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from palimpsest.cli.measure import measure


def test_it_prints_a_table_a_sort_of_question_and_writes_json(tmp_path: Path) -> None:
    """One embedder, one language, two sizes."""
    target = tmp_path / "recall.json"
    made = CliRunner().invoke(
        measure,
        ["recall", "--embedder", "hashed", "--language", "en", "--size", "18", "--size", "40",
         "--json", str(target)],
    )  # fmt: skip
    assert 0 == made.exit_code, made.output
    for said in ("share few words", "name their answer", "words alone", "hashed and words",
                 "threshold 0.25 reaches"):  # fmt: skip
        assert said in made.output
    data = json.loads(target.read_text())
    assert (1, {18, 40}) == (data["schema"], {p["size"] for p in data["points"]})
    assert 1 == len(data["cosines"])


def test_words_alone_need_no_embedder() -> None:
    """``--words`` measures what a store without an embedder finds."""
    made = CliRunner().invoke(measure, ["recall", "--words", "--language", "fr", "--size", "18"])
    assert 0 == made.exit_code, made.output
    assert "hashed" not in made.output
    assert "words alone" in made.output


def test_words_alone_and_an_embedder_contradict_each_other() -> None:
    """Neither is left out in silence."""
    made = CliRunner().invoke(measure, ["recall", "--words", "--embedder", "hashed"])
    assert 2 == made.exit_code
    assert "--words is without an embedder" in made.output


def test_an_unknown_embedder_is_named_with_those_that_are_known() -> None:
    """The error of the registry comes through."""
    made = CliRunner().invoke(measure, ["recall", "--embedder", "mimilm"])
    assert made.exit_code
    assert "mimilm" in str(made.exception)
