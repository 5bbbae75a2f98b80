"""The bar of tokens by part: to scale, in any width, with its figures."""

from __future__ import annotations

from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from palimpsest.cli.budget_bar import PARTS, budget_lines, shares
from palimpsest.ledger import PartName

AMOUNTS = st.lists(st.integers(min_value=0, max_value=10**6), min_size=1, max_size=10)


@given(AMOUNTS, st.integers(min_value=10, max_value=200))
def test_cells_add_up_and_nothing_vanishes(amounts: list[int], width: int) -> None:
    """Every cell is given away, an amount has a cell, no amount has none, more is never less."""
    cells = shares(amounts, width)
    assert (width if any(amounts) else 0) == sum(cells)
    assert [amount > 0 for amount in amounts] == [cell > 0 for cell in cells]
    ordered = sorted(zip(amounts, cells, strict=True))
    assert [cell for _, cell in ordered] == sorted(cells)


def test_every_part_has_a_letter_of_its_own() -> None:
    """Without colour the letters alone tell the parts apart."""
    assert set(get_args(PartName)) == set(PARTS)
    lines = budget_lines(dict.fromkeys(PARTS, 10), limit=100, tokens=90, answer=7, width=60)
    bar, *rows = [line.plain for line in lines]
    assert len(PARTS) == len({row[0] for row in rows[: len(PARTS)]})
    assert 60 == len(bar)
    assert {row[0] for row in rows[: len(PARTS)]} == set(bar) - set("[] ")


def test_the_bar_is_to_scale() -> None:
    """Half of the budget is half of the bar."""
    lines = budget_lines(
        {"turns": 500, "question": 250}, limit=1000, tokens=750, answer=9, width=42
    )
    assert [
        "[" + "u" * 20 + "q" * 10 + " " * 10 + "]",
        "u turns         500  50.0%",
        "q question      250  25.0%",
        "  free          250  25.0%",
        "750 of 1000 tokens; 9 more are kept for the answer",
    ] == [line.plain for line in lines]
