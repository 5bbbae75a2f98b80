"""The current memory that says nearly what a proposal says, by an index kept with the store.

The index belongs to the open store, so it goes with it. Invariant: before it answers it holds
exactly the current rows as the transaction reads them, whoever wrote them; a memory that was
forgotten has left it before the forget returns. Used inside a transaction only: one thread.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import takewhile

from palimpsest.proposals import Proposal
from palimpsest.settings import DedupSettings
from palimpsest.types import Memory, Scope
from palimpsest.write.decide import Near
from palimpsest.write.dedup import Index
from palimpsest.write.parts import WriteStore

_KEPT = 8
"""The scopes whose index is kept."""

Key = tuple[Scope, DedupSettings]


class Held:
    """The index of a scope's current memories, with the rows that it was made from."""

    def __init__(self, settings: DedupSettings) -> None:
        self.index = Index(threshold=settings.threshold, ratio_from=settings.ratio_from)
        self._rows: tuple[Memory, ...] | None = ()

    def sync(self, rows: tuple[Memory, ...]) -> None:
        """Hold exactly these rows; what is the same object as before is not looked at."""
        before = self._rows or ()
        same = len(before)
        # Equal objects are told by identity first, so where rows were only added this is cheap.
        if rows[:same] != before:
            pairs = zip(before, rows, strict=False)
            same = sum(1 for _ in takewhile(lambda pair: pair[0] is pair[1], pairs))
        wanted = {row.id for row in rows[same:]}
        held = self.index.ids() if self._rows is None else {row.id for row in before[same:]}
        for id in held - wanted:
            self.index.remove(id)
        for row in rows[same:]:
            self.index.put(row.id, row.text)
        self._rows = rows

    def leave(self, ids: Collection[int]) -> None:
        """Hold some rows no longer."""
        for id in ids:
            self.index.remove(id)
        self._rows = None


def nearest(
    store: WriteStore,
    scope: Scope,
    proposal: Proposal,
    known: tuple[Memory, ...],
    settings: DedupSettings,
) -> Near | None:
    """The nearest row at the threshold or above; the oldest where several are as near."""
    kept = store.kept_indexes
    held = kept.pop((scope, settings), None) or Held(settings)
    kept[scope, settings] = held
    while len(kept) > _KEPT:
        kept.pop(next(iter(kept)))
    held.sync(known)
    match = held.index.nearest(proposal.text)
    if match is None:
        return None
    return Near(memory=_of(known, match.id), score=match.score)


def leave(store: WriteStore, user: str, gone: Sequence[Memory]) -> None:
    """Take forgotten memories out of every index of their user."""
    ids = {memory.id for memory in gone}
    for (scope, _settings), held in store.kept_indexes.items():
        if scope.user == user:
            held.leave(ids)


def _of(rows: Sequence[Memory], id: int) -> Memory:
    return next(row for row in rows if row.id == id)
