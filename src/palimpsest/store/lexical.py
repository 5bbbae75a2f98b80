"""Full-text rows of memories: what lexical recall searches. Derived, never the truth.

Invariant: a search keeps to what its conversation sees, nothing that is gone, replaced or
another's; scores are made from those memories alone, so what others hold changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from palimpsest.errors import StoreError
from palimpsest.language.search_words import Spellings, asked_words
from palimpsest.store import lexical_tables as tables
from palimpsest.store.database import Database
from palimpsest.store.lexical_rows import first_row
from palimpsest.store.verified import Verified
from palimpsest.store.visible import Visible
from palimpsest.types import Scope


class Lexical:
    """Searches, checks and rebuilds full-text rows."""

    def __init__(self, db: Database, visible: Visible) -> None:
        self._db = db
        self._visible = visible

    def rebuild(self) -> int:
        """Make every row anew from the memories; how many there are."""
        with self._db.transaction():
            tables.make(self._db)
            self._db.erase_log()
            return self._db.number("SELECT count(*) FROM lexical")

    def search(self, scope: Scope, question: str, *, limit: int = 64) -> Mapping[int, float]:
        """Scores of the current memories that share a word with the question, best first."""
        words = asked_words(question)
        first = first_row(self._db, scope.user)
        if not words or not first:
            return {}
        seen = self._visible.columns(scope)
        ids = seen.ids[seen.current]
        total = np.zeros(len(ids))
        for word in words:
            places = _places(ids, self._having(word, first))
            if len(places):
                total[places] += np.log1p((len(ids) - len(places) + 0.5) / (len(places) + 0.5))
        hits = np.flatnonzero(total)
        order = hits[np.lexsort((-ids[hits], -total[hits]))][:limit]
        return {int(ids[place]): float(total[place]) for place in order}

    def verify(self) -> Verified:
        """Compare every row with what its memory gives, and let SQLite check its index."""
        with self._db.reading():
            held: dict[int, str] = dict(self._db.rows("SELECT rowid, words FROM lexical"))
            due = {
                number: tables.words_of(text, attribute)
                for number, text, attribute in self._db.rows(tables.DUE)
            }
        both = held.keys() & due.keys()
        return Verified(
            index="lexical", rows=len(held), missing=len(due) - len(both),
            gone=len(held) - len(both), wrong=sum(held[row] != due[row] for row in both),
            damage=self._damage(),
        )  # fmt: skip

    def _damage(self) -> str:
        try:
            with self._db.transaction():
                self._db.write("INSERT INTO lexical (lexical) VALUES ('integrity-check')")
        except StoreError as error:
            return str(error)
        return ""

    def _having(self, word: Spellings, first: int) -> NDArray[np.int64]:
        """The ids of one user's memories that have any spelling of a word, ascending."""
        # One text of numbers is read in a third of the time of as many rows.
        found = self._db.row(
            "SELECT group_concat(rowid - ?1) FROM lexical WHERE lexical MATCH ?2 "
            "AND rowid BETWEEN ?1 AND ?3",
            (first, " OR ".join(f'"{form}"' for form in word), first + (1 << tables.ID_BITS) - 1),
        )
        return np.fromstring(found[0] if found and found[0] else "", dtype=np.int64, sep=",")


def _places(ids: NDArray[np.int64], wanted: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where the wanted ids stand among ``ids``, both ascending; others are left out."""
    places = np.searchsorted(ids, wanted)
    known = places < len(ids)
    known[known] = ids[places[known]] == wanted[known]
    return places[known]
