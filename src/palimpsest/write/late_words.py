"""Old words that come in late, from a log: they do not overrule what was said after them.

Invariant: nothing that was said later than a turn of an imported conversation is replaced, forgotten
or worded anew by that turn; a person decides.
"""

from __future__ import annotations

import dataclasses

from palimpsest.types import Memory, Scope
from palimpsest.write.decide import Decision
from palimpsest.write.parts import WriteStore


def overruled(store: WriteStore, scope: Scope, rows: tuple[Memory, ...], said_at: str) -> bool:
    """True where a row was said after the turn of an imported conversation that means it."""
    if not rows or store.origins.of(scope) is None:
        return False
    return any(_said(store, row) > said_at for row in rows)


def held_back(store: WriteStore, scope: Scope, decision: Decision, said_at: str) -> Decision:
    """The decision; one that waits for a person in place of one that is overruled."""
    if decision.action not in ("supersede", "forget"):
        return decision
    if not overruled(store, scope, decision.rows, said_at):
        return decision
    conflict = decision.action == "supersede"
    rule = "undecided-conflict" if conflict else "ambiguous-forget"
    return dataclasses.replace(decision, action="review", rule=rule)


def _said(store: WriteStore, row: Memory) -> str:
    """When a memory was said: its turn tells, else the row."""
    told = store.turns.said_at(row.scope, row.turn) if row.turn is not None else ""
    return told or row.created_at
