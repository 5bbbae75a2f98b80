"""Puts a fitted request together, counts it and attaches its ledger."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from palimpsest.context.block import Block
from palimpsest.context.fit import Fitted, Scale
from palimpsest.context.ledger import parts, turn_entries
from palimpsest.ledger import Ledger, MemoryEntry, NoteEntry, PartName, Request, TurnEntry
from palimpsest.protocols import Counter, View
from palimpsest.types import Ask


def assemble(
    scale: Scale,
    fitted: Fitted,
    view: View,
    ask: Ask,
    *,
    strategy: str,
    memories: Sequence[MemoryEntry],
    notes: Sequence[NoteEntry] = (),
    block: Block | None = None,
    block_is: PartName = "facts",
    redacted: Mapping[int, int] | None = None,
    turns: Sequence[TurnEntry] | None = None,
) -> Request:
    """The finished request of one strategy.

    ``turns`` is the fate of every turn, where the walk of ``fit`` does not tell it.
    """
    total = scale.weigh(fitted.kept, block)
    ledger = Ledger(
        turns=tuple(turns)
        if turns is not None
        else turn_entries(scale, fitted, first=view.first_turn(), redacted=dict(redacted or {})),
        memories=memories,
        notes=tuple(notes),
        parts=parts(scale, fitted, block, block_is, total),
    )
    return Request(
        sent=scale.sent(fitted.kept, block), tools=ask.tools, tokens=total, budget=ask.budget,
        strategy=strategy, ledger=ledger, estimated=scale.counter.frame.estimated,
    )  # fmt: skip


def exactly(attempt: Callable[[bool], Request], counter: Counter) -> Request:
    """Build by adding up, and again by whole renders where the sum proves wrong.

    A template that was only probed (``Frame.proven`` is False) may add up on every probe
    and still not on this conversation; its finished request is rendered whole once.
    """
    request = attempt(False)
    frame = counter.frame
    if frame.proven or not frame.additive:
        return request
    if counter.whole(request.sent, request.tools) == request.tokens:
        return request
    return attempt(True)
