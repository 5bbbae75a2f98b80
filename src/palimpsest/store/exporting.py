"""The rows of users as plain records, in an order in which they can be read back.

Invariant: everything that a store knows of a user is in the records but what is derived
from it, and equal stores give equal records.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from palimpsest.errors import NotFound
from palimpsest.store.database import Database
from palimpsest.store.transfer_tables import (
    CONVERSATION_COLUMNS,
    EXPORTED,
    NUMBERED,
    OWNED,
    REFERENCES,
)

Record = Mapping[str, Any]


def users(db: Database) -> tuple[str, ...]:
    """Whoever has a conversation here, by name."""
    rows = db.rows("SELECT DISTINCT user FROM conversations ORDER BY user")
    return tuple(user for (user,) in rows)


def records(db: Database, wanted: Sequence[str]) -> Iterator[Record]:
    """The records of some users; inside ``reading()``. Raises NotFound for an unknown user."""
    known = users(db)
    for user in wanted:
        if user not in known:
            there = ", ".join(map(repr, known)) or "none"
            raise NotFound(f"user {user!r} has nothing in {db.path!r}; users there: {there}")
        for table in OWNED:
            for row in _rows(db, table, "user", user):
                yield {"table": table, **row}
        conversations = db.rows(
            f"SELECT key, name, {', '.join(CONVERSATION_COLUMNS)} FROM conversations "
            "WHERE user = ? ORDER BY key",
            (user,),
        )
        names = {key: name for key, name, *_ in conversations}
        # All before any row: a row may name a conversation that began later.
        for _, name, *rest in conversations:
            columns = dict(zip(CONVERSATION_COLUMNS, rest, strict=True))
            yield {"table": "conversations", "user": user, "name": name, **columns}
        for key, name in names.items():
            yield from _of(db, user, key, name, names)


def _of(db: Database, user: str, key: int, name: str, names: Mapping[int, str]) -> Iterator[Record]:
    for table in EXPORTED:
        for row in _rows(db, table, "conversation", key):
            row["conversation"] = name
            if reference := REFERENCES.get(table):
                row[reference] = names[row[reference]]
            yield {"table": table, "user": user, **row}


def _rows(db: Database, table: str, column: str, value: object) -> Iterator[dict[str, Any]]:
    hidden = NUMBERED.get(table)
    columns = [name for name in columns_of(db, table) if name != hidden]
    order = hidden or ", ".join(f'"{name}"' for name in keys_of(db, table))
    listed = ", ".join(f'"{name}"' for name in columns)
    for row in db.each(
        f'SELECT {listed} FROM "{table}" WHERE "{column}" = ? ORDER BY {order}', (value,)
    ):
        yield dict(zip(columns, row, strict=True))


def columns_of(db: Database, table: str) -> tuple[str, ...]:
    """The names of a table's columns, in their order."""
    return tuple(row[1] for row in db.rows(f'PRAGMA table_info("{table}")'))


def keys_of(db: Database, table: str) -> tuple[str, ...]:
    """The columns of a table's primary key."""
    rows = [row for row in db.rows(f'PRAGMA table_info("{table}")') if row[5]]
    return tuple(row[1] for row in sorted(rows, key=lambda row: row[5]))
