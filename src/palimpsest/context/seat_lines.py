"""From seats to lines: rules first and always, then the seats that the facts quota holds.

A seat whose line does not fit is skipped and the next is tried. Invariant: every memory of
the scope has one entry, and only memories that have a seat are read as rows.
"""

from __future__ import annotations

from palimpsest.config import Config
from palimpsest.context.facts import Facts, Line, line_of
from palimpsest.context.seats import REASONS, Selection, select
from palimpsest.ledger import MemoryReason
from palimpsest.memory_runs import MemoryRuns, runs
from palimpsest.protocols import Counter, View
from palimpsest.types import Memory

_REASONS: tuple[MemoryReason, ...] = (*REASONS, "no-room")


def take_seats(view: View, counter: Counter, config: Config) -> Facts:
    """Select, then seat what the quota holds."""
    selection = select(view.candidates(), view.recall(), config.seats, view.now())
    ids = [*selection.rules, *(id for id, _ in selection.seats)]
    rows = {memory.id: memory for memory in view.rows(ids)}
    rules = tuple(_line(rows[id], counter, config) for id in selection.rules)
    lines, refused = _within_quota([rows[id] for id, _ in selection.seats], counter, config)
    tokens = {line.memory.id: line.tokens for line in (*rules, *lines, *refused)}
    return Facts(
        lines=lines,
        rules=rules,
        entries=_entries(selection, ids, [line.memory.id for line in refused], tokens),
    )


def _within_quota(
    seated: list[Memory], counter: Counter, config: Config
) -> tuple[tuple[Line, ...], tuple[Line, ...]]:
    left = config.facts.quota
    lines: list[Line] = []
    refused: list[Line] = []
    for memory in seated:
        line = _line(memory, counter, config)
        if line.tokens > left:
            refused.append(line)
            continue
        left -= line.tokens
        lines.append(line)
    return tuple(lines), tuple(refused)


def _line(memory: Memory, counter: Counter, config: Config) -> Line:
    text = line_of(memory, config, counter.frame.markers)
    return Line(memory=memory, text=text, tokens=counter.text(text))


def _entries(
    selection: Selection, ids: list[int], refused: list[int], tokens: dict[int, int]
) -> MemoryRuns:
    found = runs(selection.ids, selection.codes, _REASONS, alone=ids, tokens=tokens)
    return found.with_reason(refused, "no-room") if refused else found
