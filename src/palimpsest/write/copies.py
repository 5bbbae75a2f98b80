"""What other branches of a conversation hold of a memory that goes.

A branch copies the memories of the turns that it shares, and reading its own turns may word
them anew. Invariant: pure but for reading; a copy was ever said in the same words, or has the same value of
the same attribute.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from palimpsest.language.surface_forms import keys_of
from palimpsest.types import Memory, Scope
from palimpsest.write.parts import WriteStore


def copies(store: WriteStore, scope: Scope, roots: Sequence[Memory]) -> tuple[Memory, ...]:
    """The rows of other conversations of the family that say what ``roots`` and theirs say."""
    homes = dict.fromkeys((scope, *(root.scope for root in roots)))
    kin = {place: None for home in homes for place in store.branches.family(home)}
    if not (others := [place for place in kin if place not in homes]):
        return ()
    gone = [row for root in roots for row in store.memories.chain(root.scope, root.id)]
    known = {(row.scope, row.id) for row in gone}
    said = {text for lost in gone for text in _words(store, lost)}
    return tuple(
        row for place in others for row in _rows(store, place)
        if (row.scope, row.id) not in known
        and (said & _words(store, row) or any(_same_value(row, lost) for lost in gone))
    )  # fmt: skip


def _rows(store: WriteStore, place: Scope) -> Iterator[Memory]:
    yield from store.memories.current(place)
    yield from store.memories.superseded(place)


def _words(store: WriteStore, row: Memory) -> set[str]:
    """All the words in which a memory was said in its conversation."""
    others = store.wordings.of([row], row.scope)
    return {said.text.strip() for said in (row, *others)} - {""}


def _same_value(row: Memory, lost: Memory) -> bool:
    if row.attribute is None or row.attribute != lost.attribute or not (row.value and lost.value):
        return False
    return row.value == lost.value or bool(keys_of(row.value) & keys_of(lost.value))
