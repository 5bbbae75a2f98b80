"""Lays out graded answers for the terminal: one row a strategy and case, reasons below.

Texts that come from a suite or from a model are shown with their invisible characters
escaped; a table is for reading, the JSON report holds every grade.
"""

from __future__ import annotations

from collections.abc import Iterator

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from palimpsest.bench.answers.graded import Graded, counts
from palimpsest.bench.answers.session import Grading
from palimpsest.language.invisible import shown

_COLUMNS = ("pass", "fail", "none", "facts", "stale", "leaks", "said so", "cut")


def shown_grades(grading: Grading) -> Iterator[RenderableType]:
    """The heading, the table, and why answers failed."""
    yield heading(grading)
    yield table(grading.groups)
    yield Text("")
    for group in grading.groups:
        yield from _reasons(group)


def heading(grading: Grading) -> Text:
    """What was graded, and whose answers they are."""
    head = grading.recording.head
    total = sum(len(group.grades) for group in grading.groups)
    told = Text.assemble((shown(grading.suite), "bold"), f"  {total} answers")
    if head is not None:
        pinned = "" if head.model.pinned else ", NOT PINNED"
        told.append(f" of {shown(head.model.model)}{pinned}, counted by {shown(head.tokenizer)}")
    return told


def table(groups: tuple[Graded, ...]) -> Table:
    """One row a strategy and case."""
    drawn = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False)
    drawn.add_column("strategy", no_wrap=True)
    drawn.add_column("case", no_wrap=True)
    for name in _COLUMNS:
        drawn.add_column(name, justify="right", no_wrap=True)
    for group in groups:
        made = counts(group)
        style = (
            "green" if made["pass"] == len(group.grades) else "yellow" if made["pass"] else "red"
        )
        drawn.add_row(
            Text(shown(group.strategy)), Text(shown(group.case)), Text(str(made["pass"]), style),
            str(made["fail"]), str(made["incomplete"]),
            f"{made['facts_in_answers']}/{made['facts_required']}",
            str(made["stale_as_current"]), str(made["forgotten"]), str(made["said_missing"]),
            str(made["stopped_at_limit"]),
        )  # fmt: skip
    return drawn


def _reasons(group: Graded) -> Iterator[Text]:
    made = counts(group)
    name = f"{shown(group.strategy)}, {shown(group.case)}: "
    for reason, times in made["reasons"].items():
        yield Text(f" {times} x {name}{shown(reason)}")
    for fact, places in made["missing"].items():
        told = ", ".join(f"{place} ({times})" for place, times in places.items())
        yield Text(f"     {shown(fact)!r}: {told}", style="dim")
