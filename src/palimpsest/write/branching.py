"""A branch of a conversation, and what a history that is taken over may not bring back.

Invariant: inside one transaction a branch holds the turns and memories of the fork, redacted
as its own corrections ask; old words that a client hands over say nothing that was forgotten
in any conversation of the user.
"""

from __future__ import annotations

from collections.abc import Sequence

from palimpsest.language.message_text import searched
from palimpsest.language.surface_forms import read
from palimpsest.types import Message, Scope
from palimpsest.write.parts import WriteStore
from palimpsest.write.transcript import redact


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
    longest = store.forgotten.longest_of(scope.user)
    if not longest:
        return
    texts = [said.text for message in old for said in searched(message)]
    keys = {found.key for text in texts if text.strip() for found in read(text, longest)}
    store.forgotten.reach(scope, keys, until=until)


def says_forgotten(store: WriteStore, user: str, name: str) -> bool:
    """True where a name that a source gives holds a value that the user had forgotten."""
    longest = store.forgotten.longest_of(user)
    keys = {found.key for found in read(name, longest)} if longest and name.strip() else set()
    return bool(keys and store.forgotten.says(user, keys))
