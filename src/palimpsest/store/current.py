"""The current memories that each conversation can see, kept from one reading to the next.

Invariant: what is returned is what the file holds now. Rows are kept under the numbers that every
change of a user's memories redraws, whichever process made it; where memories were only added,
the new ones are read alone. Forgotten rows leave the process with the file.
"""

from __future__ import annotations

import dataclasses
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

from palimpsest.store.database import Database, Row
from palimpsest.store.memory_rows import COLUMNS, memory_of
from palimpsest.types import Memory, Scope

_COLUMNS_OF_M = ", ".join(f"m.{column.strip()}" for column in COLUMNS.split(","))
_KEPT_SCOPES = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    numbers: Row
    """The number of all changes of the user's memories, and that of changes of old ones."""
    rows: tuple[Memory, ...]


class Current:
    """Reads over the current memories of each scope."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._kept: OrderedDict[Scope, _Kept] = OrderedDict()

    def rows(self, scope: Scope) -> tuple[Memory, ...]:
        """The scope's own rows and its user's global ones, oldest first."""
        numbers = self._db.row(
            "SELECT number, edits FROM memory_changes WHERE user = ?", (scope.user,)
        ) or (0, 0)
        kept = self._kept.get(scope)
        if kept is None or kept.numbers != numbers:
            kept = _Kept(numbers=numbers, rows=self._read(scope, kept, numbers))
            if self._db.writing:
                # A rollback may take this back; what is kept was committed.
                return kept.rows
        self._kept[scope] = kept
        self._kept.move_to_end(scope)
        while len(self._kept) > _KEPT_SCOPES:
            self._kept.popitem(last=False)
        return kept.rows

    def drop(self, user: str) -> None:
        """Keep nothing of a user: something was forgotten."""
        for scope in [scope for scope in self._kept if scope.user == user]:
            self._kept.pop(scope, None)

    def _read(self, scope: Scope, kept: _Kept | None, numbers: Row) -> tuple[Memory, ...]:
        if kept is None or kept.numbers[1] != numbers[1] or not kept.rows:
            return seen(self._db, scope, "m.superseded_by IS NULL")
        last = kept.rows[-1].id
        return kept.rows + seen(self._db, scope, "m.superseded_by IS NULL AND m.id > ?", (last,))


def seen(
    db: Database, scope: Scope, where: str, params: Sequence[object] = ()
) -> tuple[Memory, ...]:
    """Rows that a conversation can see, oldest first, each with the scope that it lives in."""
    rows = db.rows(
        f"SELECT c.name, {_COLUMNS_OF_M} FROM memories m "
        "JOIN conversations c ON c.key = m.conversation WHERE c.user = ? "
        f"AND (c.name = ? OR m.reach = 'global') AND {where} ORDER BY m.id",
        (scope.user, scope.conversation, *params),
    )
    return homed(scope, rows)


def homed(scope: Scope, rows: Sequence[Row]) -> tuple[Memory, ...]:
    """The memories of rows that begin with the name of their conversation."""
    # The scope itself for its own rows: what is one object is told by identity, fast.
    homes = {name: dataclasses.replace(scope, conversation=name) for name in {r[0] for r in rows}}
    homes[scope.conversation] = scope
    return tuple(memory_of(homes[name], row) for name, *row in rows)
