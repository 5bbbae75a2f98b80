"""The command that measures dedup scores."""

import json
from pathlib import Path

from click.testing import CliRunner

from palimpsest import Memory
from palimpsest.cli.measure import measure


def test_measure_dedup_counts_every_built_in_pair_once() -> None:
    """The bins sum up to the pairs, none of two facts is one memory, and both sides are shown."""
    done = CliRunner().invoke(measure, ["dedup", "--json", "-"])
    told = json.loads(done.stdout)
    assert (604, 604, 0, 264) == (
        told["pairs"], sum(told["bins"]), told["wrong"], told["found"]
    )  # fmt: skip
    assert told["below"][0]["score"] < told["threshold"] <= told["above"][0]["score"]


def test_measure_dedup_compares_every_two_memories_of_a_store(tmp_path: Path) -> None:
    """With a store every two current memories are one pair, and nothing is labelled."""
    path = tmp_path / "memory.db"
    with Memory.open(path) as memory:
        talk = memory.conversation(user="me", id="default")
        for text in ("I keep bees.", "I'm keeping bees.", "I live in Ghent.", "My cat is Pickle."):
            talk.remember(text)
    done = CliRunner().invoke(measure, ["dedup", "--store", str(path), "--json", "-"])
    told = json.loads(done.stdout)
    assert (6, 6, None) == (told["pairs"], sum(told["bins"]), told["wrong"])
    assert ["I keep bees."] == [pair["a"] for pair in told["above"]]
    assert 5 == len(told["below"])
