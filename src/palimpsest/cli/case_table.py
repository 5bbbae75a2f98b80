"""Lays out a run of a case set for the terminal: strategies by split, then case by case.

No figure adds up two splits. Signs carry the meaning and colour repeats it; texts that come
from a case are shown with their invisible characters escaped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from palimpsest.bench.case_file import Split
from palimpsest.bench.case_reasons import Fate, reasons, takes_notes
from palimpsest.bench.case_report import summary
from palimpsest.bench.selection import CaseRow, CaseRun
from palimpsest.language.invisible import shown

STALE, OVER = "~", "!"
_NAMES: Mapping[Split, str] = {"dev": "dev", "held_out": "held-out"}
GAP = 2
"""The blanks between two columns."""
_MOST_CASES = 40
"""A set with more cases shows its rows in the report only."""
_SIGNS: Mapping[Fate, tuple[str, str, str]] = {
    "missing": ("-", "lacks", "yellow"),
    "stale": (STALE, "has the replaced", "yellow"),
}


def heading(run: CaseRun) -> Text:
    """What was run, under which budgets, counted by what."""
    counted = "ESTIMATED" if run.frame.estimated else "counted"
    rows = next(iter(run.rows.values()))
    inputs = sorted({row.budget.input for row in rows})
    budget = f"{inputs[0]} tokens" if len(inputs) == 1 else f"{inputs[0]} to {inputs[-1]} tokens"
    sizes = ", ".join(f"{len(run.cases.split(s))} {_NAMES[s]}" for s in run.splits)
    return Text.assemble(
        (shown(run.cases.name), "bold"),
        f"  {len(rows)} cases ({sizes}), budget {budget}, {counted} by {run.frame.name}",
    )


def by_split(run: CaseRun) -> Table:
    """One group of lines a split, one line a strategy."""
    made = {(split, key): summary(run.of(key, split)) for split in run.splits for key in run.rows}
    over = any(found["over_budget"] for found in made.values())
    table = _empty("split")
    table.add_column("strategy", no_wrap=True)
    for column in ("facts", "complete", "stale", "tokens", *(["over"] if over else [])):
        table.add_column(column, justify="right")
    for split in run.splits:
        for i, key in enumerate(run.rows):
            cells = _figures(made[split, key], over)
            table.add_row(_NAMES[split] if i == 0 else "", Text(key), *cells)
        table.add_section()
    return table


def _figures(found: Mapping[str, Any], over: bool) -> Iterator[Text]:
    yield _share(found["facts_found"], found["facts_total"])
    yield _share(found["complete_cases"], found["cases"])
    stale = found["cases_with_stale_facts"]
    yield Text(f"{STALE}{stale}" if stale else "0", style="yellow" if stale else "")
    yield Text(str(found["mean_input_tokens"]), style="dim")
    if over:
        beyond = found["over_budget"]
        yield Text(f"{OVER}{beyond}" if beyond else "0", style="bold red" if beyond else "")


def by_case(run: CaseRun, width: int) -> RenderableType:
    """One line a case, one column a strategy; several tables where the width is too small."""
    number = len(next(iter(run.rows.values())))
    if number > _MOST_CASES:
        return Text(f"{number} cases: --json PATH writes the row of each", style="dim")
    legend = f"found/required   {STALE} replaced, still sent   {OVER} tokens over the budget"
    left = width - max(len(shown(row.case.id)) for row in next(iter(run.rows.values()))) - GAP
    tables: list[RenderableType] = []
    chosen: list[str] = []
    used = 0
    for key in run.rows:
        needed = _width(run, key) + GAP
        if chosen and used + needed > left:
            tables.append(_cases(run, chosen))
            chosen, used = [], 0
        chosen.append(key)
        used += needed
    return Group(*tables, _cases(run, chosen), Text(legend, style="dim"))


def _width(run: CaseRun, key: str) -> int:
    cells = [_cell(row).cell_len for row in run.rows[key]]
    return max(*cells, *map(len, _header(key).split("\n")))


def _header(key: str) -> str:
    return key.replace("(", "\n(")


def _cases(run: CaseRun, keys: Sequence[str]) -> Table:
    table = _empty("case")
    for key in keys:
        table.add_column(Text(_header(key)), justify="right", no_wrap=True)
    for rows in zip(*(run.rows[key] for key in keys), strict=True):
        table.add_row(Text(shown(rows[0].case.id)), *map(_cell, rows))
    return table


def _cell(row: CaseRow) -> Text:
    cell = _share(row.grade.found, row.grade.required)
    if row.grade.stale:
        cell.append(f" {STALE}{len(row.grade.stale)}", style="yellow")
    if not row.within_budget:
        cell.append(f" {OVER}{row.tokens - row.budget.input}", style="bold red")
    return cell


def lines(run: CaseRun) -> Iterator[Text]:
    """Why each fact is missing or stale, a line for the strategies that share the reason."""
    found: dict[tuple[str, Fate, str, str], list[str]] = {}
    number = len(next(iter(run.rows.values())))
    if number > _MOST_CASES:
        return
    noting = {key: takes_notes(rows) for key, rows in run.rows.items()}
    for place in range(number):
        for key, rows in run.rows.items():
            for why in reasons(rows[place], notes=noting[key]):
                line = (rows[place].case.id, why.fate, why.fact, why.text)
                found.setdefault(line, []).append(key)
    for (case, fate, fact, text), keys in found.items():
        sign, verb, style = _SIGNS[fate]
        told = f"{case} {verb} {fact!r} in {', '.join(keys)}: {text}"
        yield Text.assemble((f" {sign} ", style), shown(told))


def blindness(run: CaseRun) -> Iterator[Text]:
    """What the set says about its held-out split, where that was run."""
    if "held_out" not in run.splits:
        return
    said = run.cases.held_out
    if said is None:
        yield Text(" The set does not say whether its held-out split is blind.", style="dim")
    else:
        opening = (
            "The held-out split is blind." if said.blind else "The held-out split is NOT blind."
        )
        yield Text(f" {opening} {shown(said.note)}", style="dim")


def _share(found: int, of: int) -> Text:
    style = "green" if found == of else "red" if not found else "yellow"
    return Text(f"{found}/{of}", style=style, no_wrap=True)


def _empty(first: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False)
    table.add_column(first, no_wrap=True)
    return table
