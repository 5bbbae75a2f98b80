"""Lays out a compaction for the terminal: columns side by side, then facts, then notes.

Signs carry the meaning and colour repeats it. Texts that come from a file are shown with
their invisible characters escaped.
"""

from __future__ import annotations

from collections.abc import Iterator

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from palimpsest.bench.compaction import Column, Comparison
from palimpsest.bench.probes import STATUSES, Status
from palimpsest.context.compact import DROP_OLDEST, CitedNote
from palimpsest.language.invisible import shown

_SIGNS: dict[Status, tuple[str, str]] = {
    "preserved": ("+", "green"),
    "lost": ("-", "yellow"),
    "stale": ("~", "bold red"),
    "absent": ("+", "green"),
}


def show(console: Console, found: Comparison) -> None:
    """Print the whole comparison."""
    console.print(heading(found), soft_wrap=True)
    console.print(table(found))
    if found.probes:
        console.print()
        console.print(facts(found))
        console.print()
    for line in lines(found):
        console.print(line, soft_wrap=True)


def heading(found: Comparison) -> Text:
    """What was compacted, under which budget, counted by what."""
    budget = found.asked.compaction.request.budget
    counted = "ESTIMATED" if found.frame.estimated else "counted"
    notes = found.config.notes
    blocks = f", cut in blocks of {notes.step} turns" if notes.step > 1 else ""
    return Text.assemble(
        (shown(found.name), "bold"),
        f"  {len(found.request.history)} turns, budget {budget.input} tokens ({budget.window} - "
        f"{budget.answer} - {budget.margin}), {notes.reserve} kept for notes{blocks}, {counted} "
        f"by {found.frame.name}",
    )


def table(found: Comparison) -> Table:
    """One row a measure, one column a way to build the request."""
    made = _empty("")
    for key in found.columns:
        made.add_column(Text(shown(key)), justify="right")
    columns = list(found.columns.values())
    for name, cells in _measures(columns):
        made.add_row(Text(name), *cells)
    if found.probes:
        for status in STATUSES:
            made.add_row(Text(status), *(_count(column, status) for column in columns))
        if any(o.paraphrase for column in columns for o in column.outcomes):
            made.add_row(
                Text("paraphrase"),
                *(Text(str(sum(bool(o.paraphrase) for o in c.outcomes))) for c in columns),
            )
    return made


def _measures(columns: list[Column]) -> Iterator[tuple[str, list[Text]]]:
    made = [column.compaction for column in columns]
    yield "input tokens", [Text(str(m.input_tokens)) for m in made]
    yield "left over", [Text(str(m.remaining_tokens)) for m in made]
    yield "turns kept", [Text(f"{m.kept_turns} of {m.kept_turns + m.removed_turns}") for m in made]
    yield "notes", [Text(_notes(len(m.notes), len(m.dropped_notes))) for m in made]
    prefix = ["?" if m.shared_prefix is None else str(m.shared_prefix) for m in made]
    yield "shared prefix", [Text(text) for text in prefix]


def _notes(sent: int, dropped: int) -> str:
    return f"{sent} (+{dropped} no room)" if dropped else str(sent)


def _count(column: Column, status: Status) -> Text:
    number = sum(outcome.status == status for outcome in column.outcomes)
    bad = status in ("lost", "stale") and number
    return Text(str(number), style=_SIGNS[status][1] if bad else "")


def facts(found: Comparison) -> Table:
    """What became of each fact in each column."""
    made = _empty("fact")
    for key in found.columns:
        made.add_column(Text(shown(key)))
    for place, probe in enumerate(found.probes):
        cells = []
        for column in found.columns.values():
            outcome = column.outcomes[place]
            sign, style = _SIGNS[outcome.status]
            cells.append(Text(f"{sign} {outcome.status}", style=style))
        name = shown(probe.id) + ("" if found.said[probe.id] else " (no turn says it)")
        made.add_row(Text(f"{name}, {probe.kind}"), *cells)
    return made


def lines(found: Comparison) -> Iterator[Text]:
    """The notes of the column that was asked for, and what to review."""
    asked = found.asked.compaction
    if asked.extractor != DROP_OLDEST:
        yield from _note_lines("notes", asked.notes)
        yield from _note_lines("no room for", asked.dropped_notes)
    for key, column in found.columns.items():
        for outcome in column.outcomes:
            if outcome.paraphrase is not None:
                yield Text(
                    f"review: {shown(key)} says {shown(outcome.probe.id)} in other words "
                    f"({outcome.paraphrased}, not counted above): "
                    f"{shown(outcome.paraphrase.sentence)!r}"
                )


def _note_lines(title: str, notes: tuple[CitedNote, ...]) -> Iterator[Text]:
    if notes:
        yield Text(f"{title}:")
    for note in notes:
        rewritten = ", rewritten" if note.rewritten else ""
        where = f"turn {note.turn}, {note.role}, {note.start} to {note.end}{rewritten}"
        yield Text(f"  [{where}] {shown(note.text)}")


def _empty(first: str) -> Table:
    made = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False)
    made.add_column(first, no_wrap=True)
    return made
