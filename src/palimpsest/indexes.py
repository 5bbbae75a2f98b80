"""The derived indexes of a store as a whole: rebuilt, verified, and how far they are.

Words and vectors follow from the memories. Invariant: nothing here reads an index to say
what is remembered; dropping one and making it anew changes no answer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from palimpsest.protocols import Embedder
from palimpsest.recall.indexing import Indexed
from palimpsest.recall.recaller import Inline
from palimpsest.store.store import Store
from palimpsest.store.vectors import Coverage
from palimpsest.store.verified import Verified

Step = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebuilt:
    """What a rebuild made."""

    lexical: int
    """Rows of words."""
    dropped: int
    """Vectors that were there before, of any embedder; 0 where none is set to make new ones."""
    vectors: Indexed | None
    """``None`` where no embedder is set: then recall goes by words alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """How far each index is."""

    memories: int
    """Current memories, of all users."""
    vectors: tuple[Coverage, ...]


def rebuild(store: Store, embedder: Embedder | None, step: Step = lambda done, of: None) -> Rebuilt:
    """Drop the derived rows and make them anew; words serve while vectors are made.

    Without an embedder vectors stay as they are. With one all go, and those of others are not
    made: who uses them embeds again.
    """
    store.vectors.mend()
    lexical = store.lexical.rebuild()
    if embedder is None:
        return Rebuilt(lexical=lexical, dropped=0, vectors=None)
    dropped = store.vectors.clear()
    many = store.vectors.wanted()
    done = Inline(store, embedder).index(lambda made: step(made, many))
    return Rebuilt(lexical=lexical, dropped=dropped, vectors=done)


def verify(store: Store) -> tuple[Verified, ...]:
    """Every row of every index beside the memory that it follows from."""
    return (store.lexical.verify(), *store.vectors.verify())


def status(store: Store) -> Status:
    """Counts, without a look at any row."""
    return Status(memories=store.vectors.wanted(), vectors=store.vectors.coverage())
