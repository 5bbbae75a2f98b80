"""Does what perfect extraction would do at a labelled turn; see ``types.Label``."""

from __future__ import annotations

from palimpsest.types import Label, Memory, Scope
from palimpsest.write import given
from palimpsest.write.commands import correct, remember
from palimpsest.write.forgetting import forget
from palimpsest.write.parts import WriteStore
from palimpsest.write.transcript import existing_turn


def apply(store: WriteStore, scope: Scope, label: Label, turn: int) -> Memory | None:
    """Do what perfect extraction would do at a turn: its text is the user's text there.

    A correction of nothing is a statement; a forget of nothing is nothing. An append-only
    store keeps every statement as a row without attribute and ignores forgets.
    """
    attribute, turn = given.attribute(label.attribute), given.number("turn", turn) or 0
    with store.transaction():
        text = existing_turn(store, scope, turn).user
        managed = store.policy == "managed"
        known = managed and bool(store.memories.current(scope, attribute))
        if label.op == "forget":
            if known:
                forget(store, scope, attribute=attribute, turn=turn)
            return None
        if label.op == "correct" and known:
            return correct(store, scope, text, attribute=attribute, value=label.value, turn=turn)
        return remember(
            store, scope, text, attribute=attribute if managed else None, value=label.value,
            turn=turn,
        )  # fmt: skip
