"""From seats to lines: rules first and always, then the seats that the facts quota holds.

A seat whose line does not fit is skipped and the next is tried. What bounds a pass in seats
bounds it in tokens as well, or the first pass would take the whole quota and the reserve would
hold back nothing. Invariant: every memory of the scope has one entry, and only memories that
have a seat are read as rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from palimpsest.config import Config
from palimpsest.context.facts import Facts, Line, line_of
from palimpsest.context.seats import REASONS, Selection, select
from palimpsest.ledger import MemoryReason
from palimpsest.memory_runs import RECALLED, MemoryRuns, runs
from palimpsest.protocols import Counter, View
from palimpsest.types import Memory

_REST: tuple[MemoryReason, ...] = ("pinned", "global", "quota", "catch-up")
_REASONS: tuple[MemoryReason, ...] = (*REASONS, "no-room")


def take_seats(view: View, counter: Counter, config: Config) -> Facts:
    """Select, then seat what the quota holds."""
    selection = select(view.candidates(), view.recall(), config.seats, view.now(), view.withheld())
    ids = [*selection.rules, *(id for id, _ in selection.seats)]
    rows = {memory.id: memory for memory in view.rows(ids)}
    rules = tuple(_line(rows[id], counter, config) for id in selection.rules)
    wanted = [_line(rows[id], counter, config) for id, _ in selection.seats]
    lines, refused = _within_quota(wanted, [why for _, why in selection.seats], config)
    tokens = {line.memory.id: line.tokens for line in (*rules, *lines, *refused)}
    return Facts(
        lines=lines,
        rules=rules,
        entries=_entries(selection, ids, [line.memory.id for line in refused], tokens),
    )


def _within_quota(
    wanted: Sequence[Line], reasons: Sequence[MemoryReason], config: Config
) -> tuple[tuple[Line, ...], tuple[Line, ...]]:
    """The lines that are sent and those that are not, each in the order of the seats."""
    left = config.facts.quota
    taken: set[int] = set()
    for among, most in _shares(reasons, config):
        own = min(left, most)
        for place, line in enumerate(wanted):
            if reasons[place] in among and place not in taken and line.tokens <= own:
                taken.add(place)
                own -= line.tokens
                left -= line.tokens
    lines = tuple(line for place, line in enumerate(wanted) if place in taken)
    return lines, tuple(line for place, line in enumerate(wanted) if place not in taken)


def _shares(
    reasons: Sequence[MemoryReason], config: Config
) -> Iterator[tuple[tuple[MemoryReason, ...], int]]:
    """Who may take how many tokens, one after the other: the passes within their share, then
    without one, first what the question brought back."""
    quota, seats = config.facts.quota, config.seats
    share = max(1, round(seats.limit * seats.share))
    held = min(share, sum(reason in ("global", *RECALLED) for reason in reasons))
    bounds: tuple[tuple[tuple[MemoryReason, ...], int], ...] = (
        (("pinned",), seats.limit - held), (("global",), share), (RECALLED, seats.semantic),
    )  # fmt: skip
    for among, most in bounds:
        yield among, quota * most // max(1, seats.limit)
    yield RECALLED, quota
    for reason in _REST:
        yield (reason,), quota


def _line(memory: Memory, counter: Counter, config: Config) -> Line:
    text = line_of(memory, config, counter.frame.markers)
    return Line(memory=memory, text=text, tokens=counter.text(text))


def _entries(
    selection: Selection, ids: list[int], refused: list[int], tokens: dict[int, int]
) -> MemoryRuns:
    found = runs(selection.ids, selection.codes, _REASONS, alone=ids, tokens=tokens)
    return found.with_reason(refused, "no-room") if refused else found
