"""Fits notes into what is left: newest first within a rank, stop at the first without room.

Notes of one unit (both sentences of a correction) go together. A correction is younger than
what it replaces and never of a higher rank, so nothing replaced is sent without it.
"""

from __future__ import annotations

from collections.abc import Sequence

from palimpsest.config import Config
from palimpsest.context.block import Block
from palimpsest.context.extraction import Quote
from palimpsest.context.fit import Fitted, Scale
from palimpsest.ledger import NoteEntry


def fitting(
    scale: Scale, fitted: Fitted, found: Sequence[Quote], config: Config, limit: int
) -> tuple[Block, tuple[NoteEntry, ...]]:
    """Take quotes until one does not fit; they are shown in the order of the conversation."""
    chosen: set[int] = set()
    for unit in _units(found):
        tried = _block(config, found, chosen | unit)
        if scale.weigh(fitted.kept, tried) > limit:
            break
        chosen |= unit
    entries = tuple(_with_fate(quote.entry, i in chosen) for i, quote in enumerate(found))
    return _block(config, found, chosen), entries


def _units(found: Sequence[Quote]) -> list[set[int]]:
    """Places in ``found`` that go together, in the order in which they are tried."""
    together: dict[tuple[str, int], set[int]] = {}
    for place, quote in enumerate(found):
        key = ("alone", place) if quote.unit is None else ("unit", quote.unit)
        together.setdefault(key, set()).add(place)
    return sorted(together.values(), key=lambda u: (min(found[i].rank for i in u), -max(u)))


def _block(config: Config, found: Sequence[Quote], chosen: set[int]) -> Block:
    return Block(
        header=config.context.notes_header, lines=tuple(found[i].line for i in sorted(chosen))
    )


def _with_fate(entry: NoteEntry, sent: bool) -> NoteEntry:
    return NoteEntry(
        turn=entry.turn, role=entry.role, message=entry.message, text=entry.text,
        start=entry.start, end=entry.end, sent=sent,
    )  # fmt: skip
