"""Fills a budget with turns in a given order, skipping each that does not fit.

This is how a strategy works around a long turn, where ``fit`` stops at it. Every turn that
is offered is weighed, so a build costs what it ranks. Invariant: a turn is skipped only if
the request with it and with all taken before it is over the limit.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from palimpsest.context.fit import Scale, first_of, takes
from palimpsest.ledger import TurnEntry, TurnReason
from palimpsest.types import Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """The turns that were taken, and the fate of every turn that was offered."""

    kept: tuple[Turn, ...]
    """Oldest first."""
    fates: dict[int, TurnReason]
    """By turn number."""


def fill(scale: Scale, order: Iterable[Turn], limit: int) -> Filled:
    """Take turns in ``order`` while the whole request stays within ``limit`` tokens."""
    kept: list[Turn] = []
    fates: dict[int, TurnReason] = {}
    total = scale.weigh()
    for turn in order:
        if not takes(scale, turn):
            fates[turn.number] = "template"
            continue
        grown = _with(scale, total, kept, turn)
        fits = grown <= limit
        fates[turn.number] = "kept" if fits else "no-room"
        if fits:
            kept.append(turn)
            total = grown
    return Filled(kept=tuple(sorted(kept, key=lambda turn: turn.number)), fates=fates)


def _with(scale: Scale, total: int, kept: Sequence[Turn], turn: Turn) -> int:
    """The tokens of the request with one turn more."""
    if scale.whole:
        return scale.weigh((*kept, turn))
    grown = total + scale.counter.unit(turn.messages)
    if not scale.skeleton.head:
        # Without instructions the oldest message opens the request.
        oldest = sorted(kept, key=lambda other: other.number)[:1]
        before, after = first_of(scale, *oldest), first_of(scale, *oldest, turn)
        grown += scale.opening(after) - scale.opening(before)
    return grown


def filled_entries(
    scale: Scale, filled: Filled, optional: Iterable[Turn], otherwise: TurnReason
) -> tuple[TurnEntry, ...]:
    """One entry for each turn that is sent, and runs of those that share another fate.

    ``optional`` is every turn that is not required; one that was not offered has the fate
    ``otherwise``.
    """
    bones = scale.skeleton
    required = (*bones.pinned, *((bones.continued,) if bones.continued else ()))
    fates: list[tuple[Turn, TurnReason]] = [(turn, "open") for turn in required]
    fates += [(turn, filled.fates.get(turn.number, otherwise)) for turn in optional]
    entries: list[TurnEntry] = []
    for turn, reason in sorted(fates, key=lambda fate: fate[0].number):
        last = entries[-1] if entries else None
        if reason in ("kept", "open"):
            tokens = None if scale.whole else scale.counter.unit(turn.messages)
            entries.append(_entry(turn.number, turn.number, reason, tokens))
        elif last is not None and (last.last, last.reason) == (turn.number - 1, reason):
            entries[-1] = _entry(last.first, turn.number, reason)
        else:
            entries.append(_entry(turn.number, turn.number, reason))
    return tuple(entries)


def _entry(first: int, last: int, reason: TurnReason, tokens: int | None = None) -> TurnEntry:
    kept = reason in ("kept", "open")
    return TurnEntry(first=first, last=last, kept=kept, reason=reason, tokens=tokens)
