"""Takes back the newest message, as if it had never been said.

What a reading made of a user's words is undone with them; what the application remembered by
itself stays, and so does a forget that they asked for. Invariant: the turns that are left, and
their marks, are what they would be had the message not been said, and no number is given again.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from palimpsest.errors import InputError
from palimpsest.types import Message, Scope, Turn
from palimpsest.write import given
from palimpsest.write.parts import WriteStore
from palimpsest.write.undo import undo

Leaves = Callable[[Message], Message | None]
"""What is left of a message that is taken back; ``None`` for nothing."""


def take_back(
    store: WriteStore, scope: Scope, messages: int | None = 1, *, leaves: Leaves = lambda gone: None
) -> tuple[Message, ...]:
    """Remove the newest messages, every one for ``None``; returns them, the newest first.

    A turn that has no message left goes. It is not a forget: the words may be said again, and
    backups and exports keep them. Raises InputError for a number below 0.
    """
    if messages is not None and (given.number("messages", messages) or 0) < 0:
        raise InputError(f"messages: {messages!r} is not a whole number from 0")
    found: list[Message] = []
    with store.transaction():
        while messages is None or len(found) < messages:
            turn = next(store.turns.newest(scope), None)
            if turn is None:
                break
            found.append(_take(store, scope, turn, leaves))
    return tuple(found)


def _take(store: WriteStore, scope: Scope, turn: Turn, leaves: Leaves) -> Message:
    *before, gone = turn.messages
    left = leaves(gone)
    kept = [*before, left] if left else before
    if gone.role == "user":
        _undo(store, scope, turn)
    spans = [s for s in store.redactions.of(scope, turn.number) if s.message < len(before)]
    store.redactions.put(scope, turn.number, spans)
    store.reflections.shorten(scope, turn.number, messages=len(kept))
    if kept:
        store.turns.replace(scope, dataclasses.replace(turn, messages=tuple(kept)))
    else:
        store.turns.remove(scope, turn.number)
    return gone


def _undo(store: WriteStore, scope: Scope, turn: Turn) -> None:
    """Undo what was made of a turn, the last verdict first."""
    for verdict in reversed(store.verdicts.of(scope, turn=turn.number)):
        if verdict.settled is not None:
            continue
        try:
            undo(store, scope, verdict.id)
        except InputError:
            # It changed nothing, or what it changed cannot come back: a forget stays one.
            continue
