"""Makes the ledger: every turn and every memory in exactly one entry, runs as ranges."""

from __future__ import annotations

from collections.abc import Sequence

from palimpsest.context.block import Block
from palimpsest.context.fit import Fitted, Scale, required_parts
from palimpsest.ledger import MemoryEntry, PartName, TurnEntry, TurnReason
from palimpsest.types import Message, Turn


def turn_entries(
    scale: Scale, fitted: Fitted, *, first: int | None, redacted: dict[int, int]
) -> tuple[TurnEntry, ...]:
    """The fate of every turn of a conversation whose oldest turn is ``first``."""
    bones = scale.skeleton
    required = (*bones.pinned, *((bones.continued,) if bones.continued else ()))
    fates: list[tuple[Turn, TurnReason]] = [(turn, "kept") for turn in fitted.kept]
    fates += [(turn, "open") for turn in required]
    entries = [
        TurnEntry(
            first=turn.number, last=turn.number, kept=True, reason=reason,
            redacted=redacted.get(turn.number, 0), tokens=_tokens(scale, turn.messages),
        )
        for turn, reason in fates
    ]  # fmt: skip
    entries += [_left_out(turn.number, turn.number, "template") for turn in fitted.unusable]
    entries += [_left_out(turn.number, turn.number, "step") for turn in fitted.stepped]
    stopped = fitted.stopped
    if stopped is not None:
        entries.append(_left_out(stopped.number, stopped.number, "no-room"))
        if first is not None and first < stopped.number:
            taken = {e.first for e in entries}
            entries += _runs(first, stopped.number - 1, taken)
    return tuple(sorted(entries, key=lambda entry: entry.first))


def _runs(first: int, last: int, taken: set[int]) -> list[TurnEntry]:
    """Ranges over ``first`` to ``last`` around the turns that have an entry already."""
    found: list[TurnEntry] = []
    start = first
    for number in sorted(n for n in taken if first <= n <= last):
        if start < number:
            found.append(_left_out(start, number - 1, "behind-no-room"))
        start = number + 1
    if start <= last:
        found.append(_left_out(start, last, "behind-no-room"))
    return found


def _left_out(first: int, last: int, reason: TurnReason) -> TurnEntry:
    return TurnEntry(first=first, last=last, kept=False, reason=reason)


def _tokens(scale: Scale, messages: Sequence[Message]) -> int | None:
    return None if scale.whole else scale.counter.unit(messages)


def no_memories(first: int | None, last: int | None) -> tuple[MemoryEntry, ...]:
    """One run over the whole scope, for a strategy that sends no memories."""
    if first is None or last is None:
        return ()
    return (MemoryEntry(first=first, last=last, seated=False, reason="not-a-memory-strategy"),)


def parts(
    scale: Scale, fitted: Fitted, block: Block | None, kind: PartName, total: int
) -> dict[PartName, int]:
    """Tokens by part; they add up to ``total`` in every mode of counting."""
    needed = required_parts(scale)
    bare = scale.weigh()
    quoted = scale.weigh((), block) - bare if block is not None and block.lines else 0
    found: dict[PartName, int] = {
        "frame": needed.get("frame", 0),
        "instructions": needed["instructions"],
        "tools": needed["tools"],
        "turns": total - bare - quoted + needed["open_turns"],
        "facts": 0,
        "notes": 0,
        "question": needed["question"],
    }
    found[kind] = quoted
    return found
