"""What a restored store takes over from the one that it replaces: records, ids, written files.

Invariant: an id that was ever given is never given again, and no record of a deletion is lost
by going back to an older copy.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from palimpsest.store.conversations import Conversations
from palimpsest.store.database import Database
from palimpsest.store.transfer_tables import REFERENCES
from palimpsest.types import Scope

RECORDS = ("deletions", "forgotten_values", "forgotten", "forgotten_places")
"""The tables that know again what was forgotten, in the order of their keys."""


def take_over(
    db: Database, conversations: Conversations, records: Iterable[Mapping[str, Any]]
) -> None:
    """Add the records of deletions that are not here yet, and the ids that were given."""
    with db.transaction():
        for record in records:
            row = dict(record)
            table, user = row.pop("table"), row.pop("user")
            if table == "counters":
                db.write(
                    "INSERT INTO counters VALUES (?, ?, ?) "
                    "ON CONFLICT (user, name) DO UPDATE SET last = max(last, excluded.last)",
                    (user, row["name"], row["last"]),
                )
            elif table in RECORDS:
                for column in ("conversation", REFERENCES.get(table)):
                    if column is not None:
                        place = Scope(user=user, conversation=row[column])
                        row[column] = conversations.ensure(place)
                _add(db, table, row)


def _add(db: Database, table: str, row: Mapping[str, Any]) -> None:
    names = ", ".join(f'"{name}"' for name in row)
    marks = ", ".join("?" * len(row))
    db.write(f'INSERT OR IGNORE INTO "{table}" ({names}) VALUES ({marks})', tuple(row.values()))
