"""Vectors of memories: what recall by meaning searches. Derived, never the truth.

Invariant: a search joins with the memories that the scope can see now, so it returns nothing
that is gone, replaced or another's; vectors of two embedders are never compared; a vector is
written only while the memory still has the text that it was made of.
"""

from __future__ import annotations

import dataclasses
import hashlib
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from palimpsest.store.database import Database
from palimpsest.store.m008_vectors import make
from palimpsest.store.nearest import STORED, Late, Nearest
from palimpsest.store.verified import Verified
from palimpsest.store.visible import Visible
from palimpsest.types import Scope

__all__ = ["Coverage", "Late", "Missing", "Vectors", "fingerprint"]

_MISSING = (
    "FROM memories m WHERE m.superseded_by IS NULL AND NOT EXISTS (SELECT 1 FROM vectors v "
    "WHERE v.conversation = m.conversation AND v.id = m.id AND v.embedder = ?) "
)
_CLOSE = 1e-3
"""Sums of 32 bit differ by less than this with the place of a row; exact ones decide."""
_DIGITS = 9
_PAGE = 512
_UNKNOWN = "an embedder that is not known"


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """A current memory that has no vector yet."""

    key: int
    """Of its conversation."""
    id: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """What the store holds of one embedder."""

    name: str
    dimensions: int
    vectors: int
    missing: int
    """Current memories without a vector."""
    complete: bool
    """True once every current memory had one; from then on it serves."""
    bytes: int


class Vectors:
    """Adds, searches and checks the vectors of every embedder."""

    def __init__(self, db: Database, visible: Visible, salt: str) -> None:
        self._db = db
        self._visible = visible
        self._salt = salt
        self._nearest = Nearest(db)

    # --- embedders ----------------------------------------------------------------------

    def enrol(self, name: str, dimensions: int) -> int:
        """The number of an embedder, made where it is new."""
        found = self.number(name, dimensions)
        if found is not None:
            return found
        with self._db.transaction():
            self._db.write(
                "INSERT OR IGNORE INTO embedders (name, dimensions) VALUES (?, ?)",
                (name, dimensions),
            )
        found = self.number(name, dimensions)
        assert found is not None
        return found

    def number(self, name: str, dimensions: int) -> int | None:
        """The number of an embedder that has been used here, or ``None``."""
        found = self._db.row(
            "SELECT number FROM embedders WHERE name = ? AND dimensions = ?", (name, dimensions)
        )
        return int(found[0]) if found else None

    def complete(self, embedder: int) -> bool:
        """True once every current memory had a vector of this embedder."""
        return bool(self._db.number("SELECT complete FROM embedders WHERE number = ?", (embedder,)))

    def claim(self, embedder: int, holder: str, seconds: float) -> bool:
        """Take or keep the right to index for ``seconds``; one process at a time has it."""
        now = time.time()
        with self._db.transaction():
            return bool(
                self._db.write(
                    "UPDATE embedders SET holder = ?, until = ? WHERE number = ? "
                    "AND (holder = ? OR until < ? OR until > ?)",
                    # An end far ahead was written by a clock that has since been set back.
                    (holder, now + seconds, embedder, holder, now, now + 10 * seconds),
                )
            )

    def release(self, embedder: int, holder: str) -> None:
        """Give the right back."""
        with self._db.transaction():
            self._db.write(
                "UPDATE embedders SET holder = '', until = 0 WHERE number = ? AND holder = ?",
                (embedder, holder),
            )

    # --- writing ------------------------------------------------------------------------

    def changes(self) -> tuple[object, ...]:
        """Differs whenever a memory or a vector came, went or changed since."""
        return tuple(
            value
            for table in ("memory_changes", "vector_changes")
            for value in self._db.row(
                f"SELECT count(*), total(number % 1000003), total(edits % 1000003) FROM {table}"
            )
            or ()
        )

    def missing(
        self, embedder: int, *, after: tuple[int, int] = (0, 0), limit: int
    ) -> tuple[Missing, ...]:
        """Current memories without a vector, behind the place ``after``."""
        rows = self._db.rows(
            f"SELECT m.conversation, m.id, m.text {_MISSING}"
            "AND (m.conversation, m.id) > (?, ?) ORDER BY m.conversation, m.id LIMIT ?",
            (embedder, *after, limit),
        )
        return tuple(Missing(key=key, id=id, text=text) for key, id, text in rows)

    def wanted(self) -> int:
        """How many memories are current, of all users: as many vectors as an embedder needs."""
        return self._db.number("SELECT count(*) FROM memories WHERE superseded_by IS NULL")

    def put(self, embedder: int, made: Sequence[Missing], vectors: NDArray[np.float32]) -> int:
        """Write vectors of texts in one transaction; how many were still wanted."""
        written = 0
        with self._db.transaction():
            for item, vector in zip(made, vectors, strict=True):
                mine = (item.key, item.id)
                found = self._db.row(
                    "SELECT text FROM memories WHERE conversation = ? AND id = ?", mine
                )
                if found is None or found[0] != item.text:
                    continue  # forgotten or rewritten while it was embedded
                self._db.write(
                    "DELETE FROM vectors WHERE conversation = ? AND id = ? AND embedder = ?",
                    (*mine, embedder),
                )
                self._db.write(
                    "INSERT INTO vectors (conversation, id, embedder, print, vector) "
                    "VALUES (?, ?, ?, ?, ?)",
                    (
                        *mine, embedder, fingerprint(item.text, self._salt),
                        vector.astype(STORED).tobytes(),
                    ),
                )  # fmt: skip
                written += 1
        return written

    def finish(self, embedder: int, *, refused: int = 0) -> bool:
        """Let an embedder serve if no current memory waits for a vector; True if it does.

        ``refused`` memories are known to get none.
        """
        if self.complete(embedder):
            return True
        with self._db.transaction():
            self._db.write(
                f"UPDATE embedders SET complete = (SELECT count(*) {_MISSING}) <= ? "
                "WHERE number = ?",
                (embedder, refused, embedder),
            )
            return self.complete(embedder)

    def mend(self) -> None:
        """Make the tables that somebody dropped; what is derived may be dropped."""
        with self._db.transaction():
            make(self._db)
            # Without its vectors none serves, whatever it is said to have.
            self._db.write(
                "UPDATE embedders SET complete = 0 "
                "WHERE number NOT IN (SELECT embedder FROM vectors) AND "
                "EXISTS (SELECT 1 FROM memories WHERE superseded_by IS NULL)"
            )

    def clear(self, *, embedder: int | None = None) -> int:
        """Delete the vectors of one embedder, or all; how many there were."""
        only, params = ("WHERE embedder = ?", (embedder,)) if embedder else ("", ())
        with self._db.transaction():
            number = self._db.write(f"DELETE FROM vectors {only}", params)
            if embedder is None:
                self._db.write("DELETE FROM embedders")
            else:
                self._db.write("UPDATE embedders SET complete = 0 WHERE number = ?", params)
        return number

    # --- reading ------------------------------------------------------------------------

    def search(
        self, scope: Scope, embedder: int, query: NDArray[np.float32], *, threshold: float,
        limit: int = 256, until: float | None = None,
    ) -> Mapping[int, float]:  # fmt: skip
        """Cosines of the current memories from ``threshold`` on, the nearest first.

        Raises Late where the vectors cannot be read before ``until`` (monotonic seconds).
        """
        matrix = self._nearest.matrix(scope.user, embedder, len(query), until=until)
        seen = self._visible.columns(scope)
        if not matrix.size or not len(seen):
            return {}
        # Not ``@``: its threads wait for each other, 40 ms and more on a machine that is busy.
        near = np.vecdot(matrix.rows, query)
        places = np.flatnonzero(near >= threshold - _CLOSE)
        ids = matrix.ids[places]
        at = np.minimum(np.searchsorted(seen.ids, ids), len(seen) - 1)
        places = places[(seen.ids[at] == ids) & seen.current[at]]
        if len(places) > limit:
            # Whoever could be among the first by exact sums: ties must not fall by their place.
            last = np.partition(near[places], len(places) - limit)[len(places) - limit]
            places = places[near[places] >= last - _CLOSE]
        exact = (matrix.rows[places].astype(np.float64) * query.astype(np.float64)).sum(axis=1)
        found = zip(matrix.ids[places].tolist(), np.round(exact, _DIGITS).tolist(), strict=True)
        above = [(id, score) for id, score in found if score >= threshold]
        return dict(sorted(above, key=lambda item: (-item[1], -item[0]))[:limit])

    @property
    def in_memory(self) -> int:
        """The bytes of the matrices that searches made."""
        return self._nearest.held

    def coverage(self) -> tuple[Coverage, ...]:
        """Every embedder that has been used here, by name."""
        rows = self._db.rows(
            "SELECT e.number, e.name, e.dimensions, e.complete, "
            "(SELECT count(*) FROM vectors v WHERE v.embedder = e.number), "
            "(SELECT total(length(v.vector)) FROM vectors v WHERE v.embedder = e.number) "
            "FROM embedders e ORDER BY e.name, e.dimensions"
        )
        return tuple(
            Coverage(
                name=name, dimensions=dimensions, vectors=vectors, complete=bool(complete),
                missing=self._db.number(f"SELECT count(*) {_MISSING}", (number,)),
                bytes=int(size),
            )
            for number, name, dimensions, complete, vectors, size in rows
        )  # fmt: skip

    def verify(self) -> tuple[Verified, ...]:
        """Every vector beside the memory that it stands for, one record an embedder.

        A memory that waits for its vector is no fault; ``coverage`` counts those.
        """
        with self._db.reading():
            found = {number: Verified(index=name, rows=0) for number, name in self._known()}
            for embedder, fault in self._checked():
                former = found.get(embedder, Verified(index=_UNKNOWN, rows=0))
                found[embedder] = dataclasses.replace(
                    former, rows=former.rows + 1, gone=former.gone + (fault == "gone"),
                    wrong=former.wrong + (fault == "wrong"),
                )  # fmt: skip
        return tuple(sorted(found.values(), key=lambda item: item.index))

    def _known(self) -> list[tuple[int, str]]:
        rows = self._db.rows("SELECT number, name FROM embedders")
        return [(number, name) for number, name in rows]

    def _checked(self) -> Iterator[tuple[int, str]]:
        """The embedder of each vector and what is wrong with it: ``gone``, ``wrong`` or nothing."""
        after, size = 0, _PAGE
        while size == _PAGE:
            rows = self._db.rows(
                "SELECT v.number, v.embedder, v.print, v.vector, e.dimensions, m.text "
                "FROM vectors v LEFT JOIN embedders e ON e.number = v.embedder "
                "LEFT JOIN memories m ON m.conversation = v.conversation AND m.id = v.id "
                "WHERE v.number > ? ORDER BY v.number LIMIT ?",
                (after, _PAGE),
            )
            for number, embedder, made_of, vector, dimensions, text in rows:
                after = number
                if text is None:
                    yield embedder, "gone"
                    continue
                right = fingerprint(text, self._salt) == made_of and _whole(vector, dimensions)
                yield embedder, "" if right else "wrong"
            size = len(rows)


def _whole(vector: bytes, dimensions: int | None) -> bool:
    """True for a unit vector of its embedder's dimensions."""
    if dimensions is None or len(vector) != dimensions * STORED.itemsize:
        return False
    length = float(np.linalg.norm(np.frombuffer(vector, dtype=STORED)))
    return abs(length - 1.0) < _CLOSE


def fingerprint(text: str, salt: str) -> bytes:
    """What tells a text from another; salted, since the digest of a text betrays a guess."""
    return hashlib.blake2b(text.encode(), key=salt.encode(), digest_size=16).digest()
