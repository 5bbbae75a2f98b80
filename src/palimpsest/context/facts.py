"""Seats memories as quoted lines within the facts quota, each with its reason.

A line that does not fit is skipped and the next is tried, until what is left of the quota
is less than the frame of a line takes, or ``tries`` lines in a row did not fit; nothing
behind that is read or counted, so a build costs the quota and not the store.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from palimpsest.candidates import ended
from palimpsest.config import Config
from palimpsest.context.block import Block
from palimpsest.context.fit import Scale, required_parts
from palimpsest.context.quote import quoted
from palimpsest.errors import RequiredContextTooLarge
from palimpsest.ledger import MemoryEntry, MemoryReason
from palimpsest.memory_runs import MemoryRuns
from palimpsest.protocols import Counter, View
from palimpsest.types import Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One memory as the line that a request carries."""

    memory: Memory
    text: str
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """The seated lines in their order, and the fate of every memory of the scope."""

    lines: tuple[Line, ...]
    entries: Sequence[MemoryEntry]
    rules: tuple[Line, ...] = ()
    """Lines that are required: they stand first, outside the quota."""

    def block(self, config: Config) -> Block:
        lines = (*self.rules, *self.lines)
        return Block(header=config.context.memory_header, lines=tuple(line.text for line in lines))


def line_of(memory: Memory, config: Config, markers: Sequence[str]) -> str:
    """The line of a memory: its text quoted, its id and source cited."""
    return config.context.memory_line.format(
        id=memory.id, source=quoted(memory.source, markers), text=quoted(memory.text, markers)
    )


def seat(view: View, counter: Counter, config: Config, *, current: bool) -> Facts:
    """Walk the memories in the order of the settings and seat what the quota holds."""
    left, missed, least = config.facts.quota, 0, None
    now, held = view.now(), view.withheld() if current else ()
    seated: list[Line] = []
    fates: list[tuple[int, MemoryReason, int | None]] = []
    rest: MemoryReason = "superseded"
    for memory in _ordered(view, config, current=current):
        if least is None:
            empty = dataclasses.replace(memory, text="")
            least = counter.text(line_of(empty, config, counter.frame.markers))
        if left < least or missed >= config.facts.tries:
            rest = "behind-no-room"
            break
        if current and ended(memory, now):
            fates.append((memory.id, "ended", None))
            continue
        if memory.id in held:
            fates.append((memory.id, "forget-pending", None))
            continue
        text = line_of(memory, config, counter.frame.markers)
        tokens = counter.text(text)
        if tokens > left:
            missed += 1
            fates.append((memory.id, "no-room", tokens))
            continue
        left, missed = left - tokens, 0
        seated.append(Line(memory=memory, text=text, tokens=tokens))
        fates.append((memory.id, "seated", tokens))
    return Facts(lines=tuple(seated), entries=_entries(view, fates, rest, config))


def _ordered(view: View, config: Config, *, current: bool) -> Iterator[Memory]:
    newest = view.memories(current=current)
    return newest if config.facts.order == "newest" else iter(list(newest)[::-1])


def _entries(
    view: View,
    fates: Sequence[tuple[int, MemoryReason, int | None]],
    rest: MemoryReason,
    config: Config,
) -> tuple[MemoryEntry, ...]:
    """Entries over the whole id range: those looked at, the gaps between, the unread rest.

    A gap between two memories that were looked at holds replaced ones only, since every
    current one was looked at; the ids before the first or behind the last are the rest.
    """
    first, last = view.first_memory(), view.last_memory()
    if first is None or last is None:
        return ()
    looked = sorted(fates)
    newest = config.facts.order == "newest"
    found: list[MemoryEntry] = []
    start = first
    for position, (id, reason, tokens) in enumerate(looked):
        if start < id:
            gap: MemoryReason = rest if position == 0 and newest else "superseded"
            found.append(_run(start, id - 1, gap))
        found.append(
            MemoryEntry(first=id, last=id, seated=reason == "seated", reason=reason, tokens=tokens)
        )
        start = id + 1
    if start <= last:
        behind = rest if not newest or not looked else "superseded"
        found.append(_run(start, last, behind))
    return tuple(found)


def _run(first: int, last: int, reason: MemoryReason) -> MemoryEntry:
    return MemoryEntry(first=first, last=last, seated=False, reason=reason)


def within(scale: Scale, facts: Facts, config: Config, limit: int) -> Facts:
    """Drop lines from the end until required part and facts fit ``limit`` together.

    Raises RequiredContextTooLarge where the rules alone do not fit.
    """
    lines = list(facts.lines)
    dropped: list[int] = []
    while lines:
        block = dataclasses.replace(facts, lines=tuple(lines)).block(config)
        if scale.weigh((), block) <= limit:
            break
        dropped.append(lines.pop().memory.id)
    if facts.rules and not lines:
        _require_rules(scale, facts, config, limit)
    if not dropped:
        return facts
    return dataclasses.replace(facts, lines=tuple(lines), entries=_unseated(facts.entries, dropped))


def _require_rules(scale: Scale, facts: Facts, config: Config, limit: int) -> None:
    needed = scale.weigh((), dataclasses.replace(facts, lines=()).block(config))
    if needed > limit:
        parts = {**required_parts(scale), "rules": rules_tokens(scale, facts, config)}
        raise RequiredContextTooLarge(parts=parts, required=needed, limit=limit)


def rules_tokens(scale: Scale, facts: Facts, config: Config) -> int:
    """What the rules add to the required part, with the frame of their block."""
    if not facts.rules:
        return 0
    return scale.weigh((), dataclasses.replace(facts, lines=()).block(config)) - scale.weigh()


def _unseated(entries: Sequence[MemoryEntry], ids: Sequence[int]) -> Sequence[MemoryEntry]:
    if isinstance(entries, MemoryRuns):
        return entries.with_reason(ids, "no-room")
    gone = set(ids)
    return tuple(
        dataclasses.replace(entry, seated=False, reason="no-room")
        if entry.first == entry.last and entry.first in gone
        else entry
        for entry in entries
    )
