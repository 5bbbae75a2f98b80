"""Forgets an exact value that no memory holds: a code that was said and never remembered.

Invariant: one transaction; after it the value stands in no turn up to the request and in no
answer, and what a current memory states stays, since that memory was not asked to go.
"""

from __future__ import annotations

from palimpsest.types import Deletion, Memory, Scope
from palimpsest.write import given
from palimpsest.write.parts import WriteStore
from palimpsest.write.transcript import erase, existing_turn

_NO_ROW = 0
"""The id of no memory; ids count from 1."""


def forget_value(store: WriteStore, scope: Scope, value: str, *, turn: int) -> Deletion:
    """Take a value out of the conversation up to ``turn``; one record is left, without it."""
    given.text("value", value)
    with store.transaction():
        existing_turn(store, scope, turn)
        said = Memory(id=_NO_ROW, scope=scope, text=value, value=value, source=f"turn-{turn}")
        left = store.deletions.add(
            scope, attribute=None, reason=f"user request at turn-{turn}", rows=0
        )
        erase(store, scope, [said], until=turn)
    return left
