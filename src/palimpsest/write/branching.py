"""A branch of a conversation, and what a history that is taken over may not bring back.

Invariant: inside one transaction a branch holds the turns and memories of the fork, redacted
as its own corrections ask; old words that a client hands over say nothing that was forgotten
in any conversation of the user.
"""

from __future__ import annotations

from collections.abc import Sequence

from palimpsest.language.message_text import searched
from palimpsest.language.occurrences import Span
from palimpsest.language.redact_text import erased
from palimpsest.types import Message, Redaction, Scope, Turn
from palimpsest.write import known_again
from palimpsest.write.parts import WriteStore
from palimpsest.write.redaction import shifted, texts, united
from palimpsest.write.told_again import by_role
from palimpsest.write.transcript import redact
from palimpsest.write.watch import Watch


def branch(store: WriteStore, scope: Scope, parent: Scope, fork: int) -> None:
    """Begin ``scope`` with the turns 1 to ``fork`` of ``parent`` and what rests on them."""
    with store.transaction():
        store.branches.make(scope, parent, fork)
        if store.policy != "managed":
            return
        for row in store.memories.superseded(scope):
            by = store.memories.reachable(scope, row.superseded_by or 0)
            told = by.turn if by is not None and by.scope == scope else None
            redact(store, scope, [row], until=told or fork)


def guard(store: WriteStore, scope: Scope, old: Sequence[Message], *, until: int) -> None:
    """Let nothing forgotten come in with ``old`` messages, which go up to turn ``until``.

    What they say of it is taken out when they are stored, the user's own words too: these were
    said before, and only what the user says now brings a value back.
    """
    if not store.forgotten.sought_of(scope.user):
        return
    records = {
        record
        for message in old
        for said in searched(message)
        for record in known_again.known_of(store, scope.user, said.text, by_role(said.role))
    }
    store.forgotten.reach(scope, sorted(records), until=until)


def names_forgotten(store: WriteStore, user: str, name: str) -> bool:
    """True where a name that a source gives holds what the user had forgotten."""
    return bool(known_again.known_of(store, user, name, "either"))


def append_newest(store: WriteStore, scope: Scope, turn: Turn, *, old: int, watch: Watch) -> Turn:
    """Store a turn whose first ``old`` messages were said before the last one of its user.

    Only what the user says now brings a forgotten value back: it is taken out of the older
    words first, so that nothing in the turn may repeat it either.
    """
    with store.transaction():
        gone: tuple[Redaction, ...] = ()
        if old:
            guard(store, scope, turn.messages[:old], until=turn.number - 1)
            gone = _known(store, scope, turn, old)
        store.turns.add(scope, [erased(turn, gone) if gone else turn])
        if gone:
            store.redactions.put(scope, turn.number, shifted((), gone))
        stored = store.turns.get(scope, turn.number)
        assert stored is not None
        watch.check(store, scope, stored)
        return known_again.watch(store, scope, stored)


def _known(store: WriteStore, scope: Scope, turn: Turn, old: int) -> tuple[Redaction, ...]:
    if store.policy != "managed":
        return ()
    return tuple(
        Redaction(turn=turn.number, message=place, text=index, start=start, end=end,
                  reason="forgotten")
        for place, index, said in texts(turn) if place < old
        for start, end in united(
            Span(0, len(said.text)) if said.whole else Span(each.start, each.end)
            for each in known_again.known(store, scope, said.text, by_role(said.role))
        )
    )  # fmt: skip
