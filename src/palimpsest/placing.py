"""Where a message goes: into the turn that waits for it, or into a new one.

Invariant: a tool result joins the turn that made its call, an answer joins the turn that
waits for it, and nothing else is guessed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any

from palimpsest import messages as reading
from palimpsest import write
from palimpsest.errors import InputError
from palimpsest.store.store import Store
from palimpsest.types import Message, Scope, Turn, calls_of, results_of, spoken

Given = Sequence[Mapping[str, Any] | Message]


def place(store: Store, scope: Scope, message: Message, path: str) -> int | None:
    """The turn that a message joins; ``None`` where it opens one; raises InputError."""
    answered = results_of(message)
    if answered:
        for turn in store.turns.newest(scope):
            if answered[0] in {id for item in turn.messages for id in calls_of(item)}:
                return turn.number
        raise InputError(f"{path}: answers the tool call {answered[0]!r}, which nothing made")
    ready = [turn for turn in store.turns.open(scope) if not calls_of(turn.messages[-1])]
    if message.role == "assistant":
        return ready[-1].number if ready else None
    last = store.turns.last(scope)
    unanswered = [turn for turn in ready if turn.number == last and all(map(spoken, turn.messages))]
    return last if unanswered and message.role == "user" else None


def joined(
    store: Store, scope: Scope, said: Sequence[Message], watch: write.Watch
) -> tuple[list[Turn], Sequence[Message]]:
    """Put the messages before the first user's words where they belong; the rest comes back."""
    touched: dict[int, Turn] = {}
    for at, message in enumerate(said):
        number = place(store, scope, message, f"messages[{at}]")
        if number is None:
            return list(touched.values()), said[at:]
        touched[number] = write.extend(store, scope, number, [message], watch=watch)
    return list(touched.values()), ()


def unsaid(store: Store, scope: Scope, given: Given) -> Sequence[Message]:
    """What is new in a history that is handed over whole; raises InputError."""
    stored = store.turns.between(scope, 1, store.turns.last(scope))
    return write.unsaid(stored, reading.messages(given), partial(store.redactions.of, scope))


def unstored(
    store: Store, scope: Scope, held: Given, fresh: bool, follows: bool
) -> Sequence[Message]:
    """What is new in the messages that a framework holds; raises InputError."""
    said, spans = reading.messages(held), partial(store.redactions.of, scope)
    newest = partial(store.turns.newest, scope)
    return write.unstored(newest, said, spans, fresh=fresh, follows=follows)


def turns_saying(store: Store, scope: Scope, words: str, *, limit: int) -> tuple[int, ...]:
    """The numbers of the newest turns whose texts hold ``words``, letter case apart."""
    wanted = words.casefold().strip()
    if not wanted:
        return ()
    found = (
        turn.number
        for turn in store.turns.newest(scope)
        for message in turn.messages
        if any(wanted in text.casefold() for text in message.texts())
    )
    return tuple(sorted(islice(dict.fromkeys(islice(found, 4 * limit)), limit)))
