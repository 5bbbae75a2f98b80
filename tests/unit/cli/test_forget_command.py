"""``palimpsest forget``: a dry run, a forget, and words that may mean several memories."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from palimpsest import Memory, cli

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Two keys and a city."""
    path = tmp_path / "memory.db"
    with Memory.open(path) as memory:
        talk = memory.conversation(user="me", id="default")
        for name, said in (
            ("staging-key", "The staging key is sk-stage-4711."),
            ("production-key", "The production key is sk-prod-0815."),
            ("city", "I live in Oslo."),
        ):
            (turn,) = talk.append(user=said, assistant="Noted.")
            talk.remember(said, attribute=name, turn=turn.number)
    return path


@pytest.fixture
def run(store: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*arguments: str) -> tuple[int, str, str]:
        status = cli.run(["forget", "--store", str(store), *arguments])
        shown = capsys.readouterr()
        return status, shown.out, shown.err

    return call


def attributes(store: Path) -> list[str | None]:
    """What is still remembered."""
    with Memory.open(store) as memory:
        return [row.attribute for row in memory.conversation(user="me", id="default").current()]


def test_a_dry_run_shows_rows_scores_and_pieces(run: Run, store: Path) -> None:
    """Nothing is changed by it."""
    status, out, _ = run("the", "staging", "key", "--dry-run")
    assert 0 == status
    assert ["#1", "2.00", "goes", "staging-key"] == next(
        line.split()[:4] for line in out.splitlines() if "#1" in line
    )
    assert "would be taken out of turn 1, user: The staging key is sk-stage-4711." in out
    assert "nothing was changed" in out
    assert 3 == len(attributes(store))


def test_a_forget_takes_what_was_shown(run: Run, store: Path) -> None:
    """By words, by attribute, by id and by value."""
    assert (0, ["production-key", "city"]) == (run("staging key")[0], attributes(store))
    assert (0, ["city"]) == (run("--value", "SK PROD 0815")[0], attributes(store))
    assert (0, []) == (run("--attribute", "city")[0], attributes(store))


def test_words_that_may_mean_several_are_listed_and_nothing_goes(run: Run, store: Path) -> None:
    """The list shows them; the error names the command that says which."""
    status, out, err = run("my key")
    assert 2 == status
    assert "may be meant" in out
    assert "may mean 2 memories; name one: palimpsest forget --id 2" in err
    assert 3 == len(attributes(store))


def test_the_plan_as_json(run: Run) -> None:
    """The same as data, with the records that were left."""
    status, out, _ = run("--id", "3", "--json", "-")
    told = json.loads(out)
    assert (0, [3], 1) == (
        status, [each["memory"]["id"] for each in told["plan"]["rows"]], len(told["deletions"]),
    )  # fmt: skip
    assert "Oslo" not in json.dumps(told["deletions"])


def test_two_ways_at_once_are_an_error(run: Run) -> None:
    """One of them says what is meant."""
    status, _, err = run("my key", "--id", "1")
    assert 2 == status
    assert "give one of WORDS, --id, --attribute, --value and --everything" in err
