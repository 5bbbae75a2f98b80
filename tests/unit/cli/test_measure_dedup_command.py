"""The command that measures dedup scores."""

import json

from click.testing import CliRunner

from palimpsest.cli.measure import measure


def test_measure_dedup_counts_every_built_in_pair_once() -> None:
    """The bins sum up to the pairs, none of two facts is one memory, and both sides are shown."""
    done = CliRunner().invoke(measure, ["dedup", "--json", "-"])
    told = json.loads(done.stdout)
    assert (604, 604, 0, 264) == (
        told["pairs"], sum(told["bins"]), told["wrong"], told["found"]
    )  # fmt: skip
    assert told["below"][0]["score"] < told["threshold"] <= told["above"][0]["score"]
