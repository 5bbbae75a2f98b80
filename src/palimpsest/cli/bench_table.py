"""Lays out a run for the terminal: strategies down, checkpoints across, findings below.

Signs carry the meaning and colour repeats it, so nothing is lost without colour. Texts
that come from a suite are shown with their invisible characters escaped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from palimpsest.bench.findings import Finding, Severity, findings
from palimpsest.bench.replay import Replayed, Row
from palimpsest.bench.report import totals
from palimpsest.cli.row_names import explained, row_names
from palimpsest.language.invisible import shown

STALE, FORGOTTEN = "~", "!"
LEGEND = (
    f"found/required   {STALE} replaced, still sent   {FORGOTTEN} forgotten, still sent   "
    "tokens below"
)
GAP = 2
"""The blanks between two columns."""
_STYLES: dict[Severity, tuple[str, str]] = {
    "forgotten": (FORGOTTEN, "bold red"),
    "stale": (STALE, "yellow"),
    "missing": ("-", "yellow"),
    "clean": ("+", "green"),
}


def tables(run: Replayed, width: int, first: str = "strategy") -> Group:
    """The grades of one suite: the checkpoints in their order, then the sweep."""
    names = row_names(run.rows, width)
    legend = Text(LEGEND, style="dim")
    parts: list[RenderableType] = [*_checkpoints(run, names, width, first), legend]
    if run.sweep:
        parts += [Text(""), _sweep(run, names)]
    return Group(*parts)


def long_names(run: Replayed, width: int) -> tuple[Text, ...]:
    """What the shortened names of its tables stand for; to be printed without cutting lines."""
    return tuple(Text(shown(line), style="dim") for line in explained(row_names(run.rows, width)))


def heading(run: Replayed) -> Text:
    """What was run, under which budget, counted by what."""
    budget = run.budget
    counted = "ESTIMATED" if run.frame.estimated else "counted"
    return Text.assemble(
        (shown(run.suite.name), "bold"),
        f"  {len(run.suite.turns)} turns, budget {budget.input} tokens "
        f"({budget.window} - {budget.answer} - {budget.margin}), {counted} by {run.frame.name}",
    )


def lines(run: Replayed) -> tuple[Text, ...]:
    """The findings, a line each."""
    return tuple(_line(found) for found in findings(run))


def _checkpoints(
    run: Replayed, names: Mapping[str, str], width: int, first: str
) -> Iterator[Table]:
    """One table, or several under each other where the checkpoints are too many for the width."""
    left = width - max(map(len, names.values())) - GAP
    total = max(cell(rows).cell_len for rows in run.rows.values()) + GAP
    start, used = 0, 0
    for place, point in enumerate(run.suite.checkpoints):
        cells = [cell([rows[place]]).cell_len for rows in run.rows.values()]
        needed = max(len(f"turn {point.after}"), *cells) + GAP
        # The last table has the total beside its checkpoints.
        closing = total if place == len(run.suite.checkpoints) - 1 else 0
        if used and used + needed + closing > left:
            yield _table(run, names, range(start, place), first, last=False)
            start, used = place, 0
        used += needed
    yield _table(run, names, range(start, len(run.suite.checkpoints)), first, last=True)


def _table(
    run: Replayed, names: Mapping[str, str], chosen: range, first: str, *, last: bool
) -> Table:
    table = empty(first)
    for place in chosen:
        table.add_column(f"turn {run.suite.checkpoints[place].after}", justify="right")
    if last:
        table.add_column("total", justify="right", style="bold")
    for key, rows in run.rows.items():
        cells = [cell([rows[place]], tokens=rows[place].tokens) for place in chosen]
        table.add_row(Text(names[key]), *cells, *([cell(rows)] if last else []))
    return table


def _sweep(run: Replayed, names: Mapping[str, str]) -> Table:
    table = empty("facts quota")
    for quota in run.sweep:
        table.add_column(str(quota), justify="right")
    first: Mapping[str, Sequence[Row]] = next(iter(run.sweep.values()))
    for key in first:
        name = Text(names.get(key, key))
        table.add_row(name, *(cell(rows[key]) for rows in run.sweep.values()))
    return table


def empty(first: str) -> Table:
    """A table with its first column."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False)
    table.add_column(first, no_wrap=True)
    return table


def cell(rows: Sequence[Row], tokens: int | None = None) -> Text:
    """Found and required with the signs of what leaked; the tokens below where given."""
    found = totals(rows)
    complete, none = found["found"] == found["required"], not found["found"]
    style = "green" if complete else "red" if none else "yellow"
    made = Text(f"{found['found']}/{found['required']}", style=style, no_wrap=True)
    if found["stale"]:
        made.append(f" {STALE}{found['stale']}", style="yellow")
    if found["deleted"]:
        made.append(f" {FORGOTTEN}{found['deleted']}", style="bold red")
    if tokens is not None:
        made.append(f"\n{tokens}", style="dim not bold")
    return made


def _line(found: Finding) -> Text:
    sign, style = _STYLES[found.severity]
    return Text.assemble((f" {sign} ", style), shown(found.text))
