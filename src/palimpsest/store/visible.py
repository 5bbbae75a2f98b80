"""What a conversation can see: its own memories and the global ones of its user.

Ids count per user, so the two lists merge by id. Invariant: the columns of a scope are those
of its rows, since they are kept under a number that every change of a memory redraws.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from palimpsest.candidates import ENDLESS, UNTOLD, Columns, joined, seconds
from palimpsest.store.conversations import Conversations
from palimpsest.store.database import Database, Row
from palimpsest.store.memory_rows import COLUMNS, memory_of
from palimpsest.types import KINDS, Memory, Scope

_FIRST_CHUNK = 32
_LARGEST_CHUNK = 1024
_KEPT_SCOPES = 16
_MANY = 512
_KINDS = " ".join(f"WHEN '{kind}' THEN {place}" for place, kind in enumerate(KINDS))
_MARKS = (
    f"CASE kind {_KINDS} ELSE 0 END + 8 * (superseded_by IS NULL) + 16 * pinned "
    "+ 32 * (reach = 'global') + 64 * (valid_until IS NOT NULL) + 128 * (confidence IS NOT NULL)"
)
_ENDS, _TOLD = 64, 128


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    numbers: Row
    """The number of all changes of the user's memories, and that of changes of old ones."""
    columns: Columns


class Visible:
    """Reads over what each scope can see."""

    def __init__(self, db: Database, conversations: Conversations) -> None:
        self._db = db
        self._conversations = conversations
        self._kept: OrderedDict[Scope, _Kept] = OrderedDict()

    def newest(self, scope: Scope, *, current: bool) -> Iterator[Memory]:
        """Rows from the highest id to the lowest, read in growing chunks."""
        below, size = 2**62, _FIRST_CHUNK
        only = "AND m.superseded_by IS NULL " if current else ""
        while True:
            rows = self._read(scope, "AND m.id < ? " + only, (below,), newest=size)
            yield from (_seen(scope, row) for row in rows)
            if len(rows) < size:
                return
            below, size = rows[-1][0], min(size * 2, _LARGEST_CHUNK)

    def rows(self, scope: Scope, ids: Sequence[int]) -> tuple[Memory, ...]:
        """The memories of these ids, by id; what the scope cannot see is left out."""
        found: list[Row] = []
        wanted = sorted({id for id in ids if 0 < id < 2**62})
        for start in range(0, len(wanted), _MANY):
            some = wanted[start : start + _MANY]
            marks = ", ".join("?" * len(some))
            found += self._read(scope, f"AND m.id IN ({marks}) ", some, newest=len(some))
        return tuple(sorted((_seen(scope, row) for row in found), key=lambda row: row.id))

    def first(self, scope: Scope) -> int | None:
        """The lowest id of any row; ``None`` where there is none."""
        found = self._bounds("min", scope)
        return min(found) if found else None

    def last(self, scope: Scope) -> int | None:
        """The highest id of any row; ``None`` where there is none."""
        found = self._bounds("max", scope)
        return max(found) if found else None

    def home(self, scope: Scope, id: int) -> tuple[str | None, int]:
        """The conversation that a memory of the user belongs to, and the last id given."""
        last = self._db.number(
            "SELECT last FROM counters WHERE user = ? AND name = 'memory'", (scope.user,)
        )
        found = self._db.row(
            "SELECT name FROM conversations WHERE key = "
            "(SELECT conversation FROM memory_counts WHERE user = ? AND id = ?)",
            (scope.user, id),
        )
        return (found[0] if found else None), last

    def columns(self, scope: Scope) -> Columns:
        """Every row of the scope, replaced ones too, without its texts."""
        numbers = self._db.row(
            "SELECT number, edits FROM memory_changes WHERE user = ?", (scope.user,)
        ) or (0, 0)
        kept = self._kept.get(scope)
        if kept is None or kept.numbers != numbers:
            kept = self._renewed(scope, kept, numbers)
            if self._db.writing:
                # A rollback may take this back; what is kept was committed.
                return kept.columns
        self._kept[scope] = kept
        self._kept.move_to_end(scope)
        while len(self._kept) > _KEPT_SCOPES:
            self._kept.popitem(last=False)
        return kept.columns

    def _renewed(self, scope: Scope, kept: _Kept | None, numbers: Row) -> _Kept:
        """The columns of now; where memories were only added, the new ones are read alone."""
        if kept is None or kept.numbers[1] != numbers[1] or not len(kept.columns):
            return _Kept(numbers=numbers, columns=self._columns(scope))
        new = self._columns(scope, above=int(kept.columns.ids[-1]))
        return _Kept(numbers=numbers, columns=joined(kept.columns, new))

    def _columns(self, scope: Scope, *, above: int = 0) -> Columns:
        key = self._conversations.key(scope)
        rows = self._db.rows(
            f"SELECT id, {_MARKS}, confidence, valid_until FROM memories "
            "WHERE conversation = ? AND id > ? ORDER BY id",
            (key, above),
        )
        others = self._db.rows(
            f"SELECT id, {_MARKS}, confidence, valid_until FROM global_memories g "
            "CROSS JOIN memories USING (conversation, id) "
            "WHERE g.user = ? AND g.id > ? AND g.conversation <> ? ORDER BY id",
            (scope.user, above, key),
        )
        return _packed(sorted((*rows, *others)) if others else rows)

    def _read(
        self, scope: Scope, where: str, params: Sequence[object], *, newest: int
    ) -> list[Row]:
        """Rows of both lists by descending id.

        Each list is walked down an index that holds nothing else, and SQLite merges them, so
        the cost is what is read. A global row is in the list of globals only.
        """
        key = self._conversations.key(scope)
        own = f"SELECT {COLUMNS}, NULL FROM memories m WHERE m.conversation = ? {where}"
        if not self._any_global(scope):
            return self._db.rows(f"{own} ORDER BY m.id DESC LIMIT ?", (key, *params, newest))
        shared = where.replace("m.superseded_by IS NULL", "g.current = 1").replace("m.id", "g.id")
        reaching = (
            f"SELECT {COLUMNS}, (SELECT name FROM conversations WHERE key = m.conversation) "
            "FROM global_memories g CROSS JOIN memories m USING (conversation, id) "
            f"WHERE g.user = ? {shared}"
        )
        half = "SELECT * FROM ({} ORDER BY 1 DESC LIMIT ?)"
        own += "AND m.reach = 'conversation' "
        return self._db.rows(
            f"{half.format(own)} UNION ALL {half.format(reaching)} ORDER BY 1 DESC LIMIT ?",
            (key, *params, newest, scope.user, *params, newest, newest),
        )

    def _any_global(self, scope: Scope) -> bool:
        return bool(
            self._db.row("SELECT 1 FROM global_memories WHERE user = ? LIMIT 1", (scope.user,))
        )

    def _bounds(self, which: str, scope: Scope) -> list[int]:
        key = self._conversations.key(scope)
        found = [
            self._db.row(f"SELECT {which}(id) FROM {rows} = ?", (owner,))
            for rows, owner in (
                ("memories WHERE conversation", key), ("global_memories WHERE user", scope.user),
            )
        ]  # fmt: skip
        return [row[0] for row in found if row and row[0] is not None]


def _seen(scope: Scope, row: Row) -> Memory:
    *told, conversation = row
    owner = scope if conversation is None else Scope(user=scope.user, conversation=conversation)
    return memory_of(owner, tuple(told))


def _packed(rows: Sequence[Row]) -> Columns:
    size = len(rows)
    ids = np.fromiter((row[0] for row in rows), dtype=np.int64, count=size)
    marks = np.fromiter((row[1] for row in rows), dtype=np.int16, count=size)
    confidence = np.full(size, UNTOLD)
    ends = np.full(size, ENDLESS)
    told = np.flatnonzero(marks & _TOLD)
    confidence[told] = [rows[place][2] for place in told.tolist()]
    limited = np.flatnonzero(marks & _ENDS)
    ends[limited] = [seconds(rows[place][3]) for place in limited.tolist()]
    return Columns(
        ids=ids, kinds=(marks & 7).astype(np.int8), current=(marks & 8) > 0,
        pinned=(marks & 16) > 0, reaching=(marks & 32) > 0, confidence=confidence, ends=ends,
    )  # fmt: skip
