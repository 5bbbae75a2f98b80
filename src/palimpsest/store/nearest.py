"""The vectors of a user as one matrix in memory: exact cosine over all of them.

Invariant: a matrix holds the committed vectors of one user and one embedder, each once; what
was deleted leaves it before the next search. Where a row stands in it changes no score.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from palimpsest.store.database import Database, Row

STORED = np.dtype("<f4")
"""How a vector lies in the file: little-endian, 32 bits a number."""
_KEPT = 8
"""Matrices in memory; the one that was not asked for longest goes first."""
_CHUNK = 900
_SPARE = 1.5


class Late(Exception):
    """The vectors could not be read in time; what was read is kept for the next search."""


class Matrix:
    """Rows with the memory and the stored vector that each stands for."""

    def __init__(self, dimensions: int) -> None:
        self.marks: Row = ()
        self.size = 0
        self._rows = np.zeros((0, dimensions), dtype=np.float32)
        self._ids = np.zeros(0, dtype=np.int64)
        self._numbers = np.zeros(0, dtype=np.int64)

    @property
    def rows(self) -> NDArray[np.float32]:
        return self._rows[: self.size]

    @property
    def ids(self) -> NDArray[np.int64]:
        return self._ids[: self.size]

    @property
    def numbers(self) -> NDArray[np.int64]:
        return self._numbers[: self.size]

    @property
    def held(self) -> int:
        """The bytes that it takes in memory."""
        return self._rows.nbytes + self._ids.nbytes + self._numbers.nbytes

    def add(self, found: Sequence[tuple[int, int, bytes]]) -> None:
        """Put stored vectors (number, memory, bytes) behind what is there."""
        if not found:
            return
        end = self.size + len(found)
        if end > len(self._rows):
            self.reserve(max(end, int(len(self._rows) * _SPARE)))
        self._numbers[self.size : end] = [number for number, _, _ in found]
        self._ids[self.size : end] = [id for _, id, _ in found]
        # A row that was damaged is near to nothing until it is made anew; a turn goes on.
        nothing = bytes(self._rows.shape[1] * STORED.itemsize)
        joined = b"".join(
            vector if len(vector) == len(nothing) else nothing for _, _, vector in found
        )
        self._rows[self.size : end] = np.frombuffer(joined, dtype=STORED).reshape(len(found), -1)
        self.size = end

    def keep(self, numbers: NDArray[np.int64]) -> None:
        """Drop every row whose number is not among ``numbers``; its place is overwritten."""
        gone = np.flatnonzero(~np.isin(self.numbers, numbers))
        for place in gone[::-1].tolist():
            last = self.size - 1
            for column in (self._rows, self._ids, self._numbers):
                column[place] = column[last]
                column[last] = 0
            self.size = last

    def reserve(self, room: int) -> None:
        """Make room for so many rows, those that are there included."""
        if room <= len(self._rows):
            return
        for name in ("_rows", "_ids", "_numbers"):
            former = getattr(self, name)
            made = np.zeros((room, *former.shape[1:]), dtype=former.dtype)
            made[: self.size] = former[: self.size]
            setattr(self, name, made)


class Nearest:
    """The matrices of the users that were searched for last, each brought up to date."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._kept: OrderedDict[tuple[str, int], Matrix] = OrderedDict()

    def matrix(
        self, user: str, embedder: int, dimensions: int, *, until: float | None = None
    ) -> Matrix:
        """The vectors of a user as they are now; raises Late past ``until`` (monotonic)."""
        marks = self._db.row(
            "SELECT number, edits FROM vector_changes WHERE user = ?", (user,)
        ) or (0, 0)
        if self._db.writing:
            # A rollback may take back what is read here, so nothing of it is kept.
            return self._read(Matrix(dimensions), user, embedder, until)
        kept = self._kept.setdefault((user, embedder), Matrix(dimensions))
        self._kept.move_to_end((user, embedder))
        if kept.marks != marks:
            if kept.marks and kept.marks[1] == marks[1]:
                self._append(kept, user, embedder)
            else:
                self._read(kept, user, embedder, until)
            kept.marks = marks
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return kept

    @property
    def held(self) -> int:
        """The bytes that all matrices take in memory."""
        return sum(matrix.held for matrix in self._kept.values())

    def _append(self, matrix: Matrix, user: str, embedder: int) -> None:
        last = int(matrix.numbers.max()) if matrix.size else 0
        matrix.add(
            self._db.rows(
                "SELECT v.number, v.id, v.vector FROM vectors v "
                "JOIN conversations c ON c.key = v.conversation "
                "WHERE v.number > ? AND v.embedder = ? AND c.user = ?",
                (last, embedder, user),
            )
        )

    def _read(self, matrix: Matrix, user: str, embedder: int, until: float | None) -> Matrix:
        """Drop what is gone and read what is not there yet, a chunk at a time."""
        matrix.marks = ()
        rows = self._db.rows(
            "SELECT v.number FROM conversations c CROSS JOIN vectors v ON v.conversation = c.key "
            "WHERE c.user = ? AND v.embedder = ?",
            (user, embedder),
        )
        now = np.fromiter((number for (number,) in rows), dtype=np.int64, count=len(rows))
        matrix.keep(now)
        wanted = np.setdiff1d(now, matrix.numbers)
        matrix.reserve(matrix.size + len(wanted))
        for start in range(0, len(wanted), _CHUNK):
            if until is not None and time.monotonic() > until:
                raise Late
            some = wanted[start : start + _CHUNK].tolist()
            marks = ", ".join("?" * len(some))
            matrix.add(
                self._db.rows(
                    f"SELECT number, id, vector FROM vectors WHERE number IN ({marks})", some
                )
            )
        return matrix
