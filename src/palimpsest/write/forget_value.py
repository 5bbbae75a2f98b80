"""Forgets an exact value that no memory holds: a code that was said and never remembered.

Invariant: one transaction; after it the value stands in no turn up to the request and in no
answer, and what a current memory states stays, since that memory was not asked to go.
"""

from __future__ import annotations

from palimpsest.types import Deletion, Scope
from palimpsest.write import given
from palimpsest.write.forgetting import forget_rows
from palimpsest.write.parts import WriteStore
from palimpsest.write.transcript import existing_turn


def forget_value(store: WriteStore, scope: Scope, value: str, *, turn: int) -> Deletion:
    """Take a value, in any form, out of the conversation up to ``turn``; one record is left."""
    given.text("value", value)
    with store.transaction():
        existing_turn(store, scope, turn)
        done = forget_rows(store, scope, [], values=[value], turn=turn, asked_by="user")
    return done.records[0]
