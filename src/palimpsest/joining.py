"""Where a message that opens no turn belongs: the turn of its call, or the one that waits.

Invariant: a tool result joins the turn that made its call, wherever that is.
"""

from __future__ import annotations

from collections.abc import Sequence

from palimpsest import asking, write
from palimpsest.errors import InputError
from palimpsest.store.store import Store
from palimpsest.types import Message, Scope, Turn, calls_of, results_of


def joined(
    store: Store, scope: Scope, said: Sequence[Message], watch: write.Watch
) -> tuple[list[Turn], Sequence[Message]]:
    """Put the messages before the first user's words where they belong."""
    touched: dict[int, Turn] = {}
    for place, message in enumerate(said):
        number = _place(store, scope, message, f"messages[{place}]")
        if number is None:
            return list(touched.values()), said[place:]
        touched[number] = write.extend(store, scope, number, [message], watch=watch)
    return list(touched.values()), ()


def _place(store: Store, scope: Scope, message: Message, path: str) -> int | None:
    """The turn that a message joins; ``None`` where it opens one."""
    answered = results_of(message)
    if answered:
        for turn in store.turns.newest(scope):
            if answered[0] in {id for item in turn.messages for id in calls_of(item)}:
                return turn.number
        raise InputError(f"{path}: answers the tool call {answered[0]!r}, which nothing made")
    waiting = store.turns.open(scope)
    ready = [turn for turn in waiting if not calls_of(turn.messages[-1])]
    if message.role == "assistant":
        return ready[-1].number if ready else None
    last = store.turns.last(scope)
    unanswered = [
        t for t in ready if t.number == last and all(asking.spoken(m) for m in t.messages)
    ]
    return last if unanswered and message.role == "user" else None
