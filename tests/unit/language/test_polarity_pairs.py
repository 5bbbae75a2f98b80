"""Polarity held to the labelled pairs of dedup, of which only ``dev`` was looked at."""

from __future__ import annotations

import pytest

from palimpsest.bench.dedup_pairs import Half, pairs
from palimpsest.language.polarity import flipped

MEASURED = {"dev": (32, 35, 3, 216), "held_out": (6, 7, 0, 70)}
"""Contrary pairs found, of how many; wordings of one fact taken for contrary, of how many."""


@pytest.mark.parametrize("half", ["dev", "held_out"])
def test_contrary_pairs_are_found_and_wordings_of_one_fact_are_not(half: Half) -> None:
    """The figures in docs/reflection.md; a change of either is to be seen."""
    found = pairs(half)
    contrary = [pair for pair in found if pair.kind in ("negation", "liking")]
    same = [pair for pair in found if pair.same]
    assert MEASURED[half] == (
        sum(flipped(pair.a, pair.b) for pair in contrary), len(contrary),
        sum(flipped(pair.a, pair.b) for pair in same), len(same),
    )  # fmt: skip
