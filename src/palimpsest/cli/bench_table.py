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
from palimpsest.language.invisible import shown

STALE, FORGOTTEN = "~", "!"
LEGEND = (
    f"found/required facts, {STALE} replaced facts still sent, {FORGOTTEN} forgotten facts still "
    "sent, tokens of the request below"
)
_COLUMN = 12
_STYLES: dict[Severity, tuple[str, str]] = {
    "forgotten": (FORGOTTEN, "bold red"),
    "stale": (STALE, "yellow"),
    "missing": ("-", "yellow"),
    "clean": ("+", "green"),
}


def tables(run: Replayed, width: int) -> Group:
    """Everything that the terminal shows of one suite."""
    parts: list[RenderableType] = [_heading(run)]
    parts += _checkpoints(run, width)
    parts.append(Text(LEGEND, style="dim"))
    if run.sweep:
        parts += [Text(""), _sweep(run)]
    parts += [Text(""), *(_line(found) for found in findings(run)), Text("")]
    return Group(*parts)


def _heading(run: Replayed) -> Text:
    budget = run.budget
    exact = "an ESTIMATE by" if run.frame.estimated else "exact counts of"
    text = Text(shown(run.suite.name), style="bold")
    text.append(
        f"  {len(run.suite.turns)} turns, input budget {budget.input} tokens "
        f"({budget.window} - {budget.answer} - {budget.margin}), {exact} {run.frame.name}",
        style="not bold",
    )
    return text


def _checkpoints(run: Replayed, width: int) -> Iterator[Table]:
    """One table, or several under each other where the checkpoints are too many for the width."""
    points = range(len(run.suite.checkpoints))
    names = max(len(key) for key in run.rows) + 2
    each = max(1, (width - names - 2 * _COLUMN) // _COLUMN)
    for start in range(0, len(points), each):
        chosen = points[start : start + each]
        yield _table(run, chosen, last=chosen[-1] == points[-1])


def _table(run: Replayed, chosen: range, *, last: bool) -> Table:
    table = _empty("strategy")
    for place in chosen:
        table.add_column(f"turn {run.suite.checkpoints[place].after}", justify="right")
    if last:
        table.add_column("total", justify="right", style="bold")
    for key, rows in run.rows.items():
        cells = [_cell([rows[place]], tokens=rows[place].tokens) for place in chosen]
        table.add_row(Text(key), *cells, *([_cell(rows)] if last else []))
    return table


def _sweep(run: Replayed) -> Table:
    table = _empty("facts quota")
    for quota in run.sweep:
        table.add_column(str(quota), justify="right")
    first: Mapping[str, Sequence[Row]] = next(iter(run.sweep.values()))
    for key in first:
        table.add_row(Text(key), *(_cell(rows[key]) for rows in run.sweep.values()))
    return table


def _empty(first: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1), show_edge=False)
    table.add_column(first, no_wrap=True)
    return table


def _cell(rows: Sequence[Row], tokens: int | None = None) -> Text:
    found = totals(rows)
    complete, none = found["found"] == found["required"], not found["found"]
    style = "green" if complete else "red" if none else "yellow"
    cell = Text(f"{found['found']}/{found['required']}", style=style, no_wrap=True)
    if found["stale"]:
        cell.append(f" {STALE}{found['stale']}", style="yellow")
    if found["deleted"]:
        cell.append(f" {FORGOTTEN}{found['deleted']}", style="bold red")
    if tokens is not None:
        cell.append(f"\n{tokens}", style="dim not bold")
    return cell


def _line(found: Finding) -> Text:
    sign, style = _STYLES[found.severity]
    return Text.assemble((f" {sign} ", style), shown(found.text))
