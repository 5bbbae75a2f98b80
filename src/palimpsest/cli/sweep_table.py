"""Lays out the sweeps of a run: points down, strategies across, what they cost below."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from palimpsest.bench.replay import Replayed, Varied
from palimpsest.bench.sweep_points import by_sweep, conclusions
from palimpsest.cli.bench_table import cell, empty
from palimpsest.language.invisible import shown


def sweep_tables(run: Replayed) -> Iterator[RenderableType]:
    """A table for each sweep, its sentences, and a blank line."""
    for points in by_sweep(run).values():
        yield _table(points)
        for point in points:
            if point.variant.refused:
                yield Text.assemble(
                    (" x ", "yellow"), shown(f"{point.variant.label}: {point.variant.refused}")
                )
        for sentence in conclusions(points):
            yield Text(f" = {shown(sentence)}")
        yield Text("")


def _table(points: Sequence[Varied]) -> RenderableType:
    table = empty(points[0].variant.sweep)
    table.add_column("input", justify="right")
    keys = list(dict.fromkeys(e.key for point in points for e in point.variant.entrants))
    for key in keys:
        table.add_column(key, justify="right", no_wrap=True)
    for point in points:
        budget = point.variant.budget
        cells = [cell(point.rows[key]) if key in point.rows else Text("-") for key in keys]
        table.add_row(Text(point.variant.label), Text(str(budget.input) if budget else "-"), *cells)
    return table
