"""What a scope remembers, and what was done to it."""

from __future__ import annotations

from palimpsest.errors import InputError
from palimpsest.types import Deletion, Memory, Resolution, Scope, Storage
from palimpsest.write import given
from palimpsest.write.known_again import known
from palimpsest.write.parts import WriteStore


def current(store: WriteStore, scope: Scope, attribute: str | None = None) -> tuple[Memory, ...]:
    """The current memories, oldest first; those of one attribute where it is given."""
    return store.memories.current(scope, given.attribute(attribute))


def history(
    store: WriteStore, scope: Scope, attribute: str | None = None, *, id: int | None = None
) -> tuple[Memory, ...]:
    """Every statement of an attribute, or a row with all that it replaced; oldest first.

    Empty where there is none: what was forgotten has no history.
    """
    attribute, id = given.attribute(attribute), given.number("id", id)
    if (attribute is None) == (id is None):
        raise InputError("name either an attribute or the id of a memory, and not both")
    if attribute is not None:
        return store.memories.of(scope, attribute)
    assert id is not None
    return store.memories.chain(scope, id) if store.memories.get(scope, id) else ()


def deletions(store: WriteStore, scope: Scope) -> tuple[Deletion, ...]:
    """The records of what was forgotten, oldest first; they hold no text."""
    return store.deletions.of(scope)


def said_forgotten(store: WriteStore, scope: Scope, text: str) -> tuple[Deletion, ...]:
    """The records of the forgets whose value a text says, by conversation; nothing is lifted."""
    given.text("text", text)
    with store.reading():
        wanted = {
            (each.match.home, each.match.deletion) for each in known(store, scope, text, "either")
        }
        if not wanted:
            return ()
        homes = [Scope(user=scope.user, conversation=c) for c in store.conversations.of(scope.user)]
        return tuple(
            record
            for home in homes
            for record in store.deletions.of(home)
            if (store.conversations.key(home), record.id) in wanted
        )


def resolutions(store: WriteStore, scope: Scope) -> tuple[Resolution, ...]:
    """The decisions of consolidation, oldest first."""
    return store.resolutions.of(scope)


def storage(store: WriteStore, scope: Scope) -> Storage:
    """What the store holds for a scope, in rows."""
    with store.reading():
        return Storage(
            stored_rows=store.memories.count(scope, current=False),
            current_facts=store.memories.count(scope, current=True),
            deletion_records=len(store.deletions.of(scope)),
            resolutions=len(store.resolutions.of(scope)),
        )
