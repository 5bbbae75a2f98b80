"""Writes exported records into a store: each conversation whole, once, or not at all.

Invariant: a conversation that is here already is never changed by a file: it is recognised
by when its turns and memories were made, which stays true after a forget, so that an old
file brings nothing back. The caller holds the transaction; an error takes all of it back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from palimpsest.errors import InputError, StoreError
from palimpsest.store.database import Database
from palimpsest.store.exporting import columns_of
from palimpsest.store.transfer_tables import (
    CONVERSATION_COLUMNS,
    EXPORTED,
    NUMBERED,
    OWNED,
    REFERENCES,
)

_MOST = 1 << 53
"""More ids than anybody is given."""
_MARKS = frozenset({"pinned", "hedged", "guessed", "open", "hidden", "mine"})
_IDENTITIES = {"turns": "number", "memories": "id"}


@dataclass(slots=True, kw_only=True)
class Imported:
    """What became of the conversations of a file, as (user, conversation)."""

    added: list[tuple[str, str]] = field(default_factory=list)
    known: list[tuple[str, str]] = field(default_factory=list)
    """They were here, with all that the file has; the file changed nothing."""
    rows: int = 0


class Importer:
    """Takes the records of one file in their order."""

    def __init__(self, db: Database, *, as_user: str | None = None) -> None:
        self._db = db
        self._as_user = as_user
        self._names: set[str] = set()
        self._keys: dict[tuple[str, str], int] = {}
        self._known: dict[tuple[str, str], int] = {}
        self._columns: dict[str, tuple[str, ...]] = {}
        self._counters: list[tuple[str, str, int]] = []
        self.done = Imported()

    def take(self, record: Mapping[str, Any]) -> None:
        """Write one record; raises InputError for one that is not of an export."""
        row = dict(record)
        table = row.pop("table", None)
        user = self._owner(row)
        if table == "conversations":
            self._conversation(user, row)
        elif table in OWNED:
            last = int(row["last"])
            if not 0 <= last < _MOST:
                raise InputError(f"counters: last {last:.3e} is not a number of ids")
            self._counters.append((user, str(row["name"]), last))
        elif table in EXPORTED:
            self._row(table, user, row)
        else:
            raise InputError(f"table {table!r} is not one of {', '.join((*OWNED, *EXPORTED))}")

    def take_all(self, records: Iterable[tuple[str, Mapping[str, Any]]]) -> Imported:
        """Write every record, given with where it stands; an error names the place."""
        for where, record in records:
            try:
                self.take(record)
            except (
                InputError,
                StoreError,
                KeyError,
                TypeError,
                ValueError,
                OverflowError,
            ) as error:
                said = f"{error} is missing" if isinstance(error, KeyError) else str(error)
                raise InputError(f"{where}: {said}; nothing was imported") from None
        # An id that was ever given to this user is never given again, here or there.
        self._db.write_many(
            "INSERT INTO counters VALUES (?, ?, ?) "
            "ON CONFLICT (user, name) DO UPDATE SET last = max(last, excluded.last)",
            self._counters,
        )
        return self.done

    def _owner(self, row: dict[str, Any]) -> str:
        user = row.pop("user")
        if not isinstance(user, str) or not user.strip():
            raise InputError(f"user {user!r} is not a name")
        self._names.add(user)
        if self._as_user is not None and len(self._names) > 1:
            raise InputError(
                f"--as-user {self._as_user!r} renames one user, and this file holds "
                f"{', '.join(map(repr, sorted(self._names)))}"
            )
        return self._as_user or user

    def _conversation(self, user: str, row: dict[str, Any]) -> None:
        name = row.pop("name")
        if not isinstance(name, str) or not name.strip():
            raise InputError(f"conversation {name!r} is not a name")
        self._check(set(row), set(CONVERSATION_COLUMNS), "conversations")
        found = self._db.row(
            "SELECT key FROM conversations WHERE user = ? AND name = ?", (user, name)
        )
        if found:
            self._known[user, name] = int(found[0])
            self.done.known.append((user, name))
            return
        columns = ", ".join(row)
        self._db.write(
            f"INSERT INTO conversations (user, name, {columns}) VALUES (?, ?{', ?' * len(row)})",
            (user, name, *row.values()),
        )
        self._keys[user, name] = self._db.number("SELECT last_insert_rowid()")
        self.done.added.append((user, name))

    def _row(self, table: str, user: str, row: dict[str, Any]) -> None:
        place = (user, row.pop("conversation"))
        if place in self._known:
            self._recognise(table, place, row)
            return
        row = {"conversation": self._key(place), **row}
        if reference := REFERENCES.get(table):
            row[reference] = self._key((user, row[reference]))
        if table not in self._columns:
            hidden = NUMBERED.get(table)
            self._columns[table] = tuple(c for c in columns_of(self._db, table) if c != hidden)
        self._check(set(row), set(self._columns[table]), table)
        _check_numbers(table, row)
        if table == "memories":
            self._check_id(user, row["id"])
        self._write(table, user, row)
        self.done.rows += 1

    def _write(self, table: str, user: str, row: Mapping[str, Any]) -> None:
        names = dict(row)
        if "user" in self._columns[table]:
            names["user"] = user
        listed = ", ".join(f'"{name}"' for name in names)
        # A trigger has made the counters of a memory already.
        verb = "REPLACE" if table == "memory_counts" else "INSERT"
        self._db.write(
            f'{verb} INTO "{table}" ({listed}) VALUES ({", ".join("?" * len(names))})',
            tuple(names.values()),
        )

    def _key(self, place: tuple[str, str]) -> int:
        found = self._keys.get(place, self._known.get(place))
        if found is None:
            raise InputError(f"conversation {place[1]!r} has rows and no record of its own")
        return found

    def _check_id(self, user: str, id: object) -> None:
        if self._db.row("SELECT 1 FROM memory_counts WHERE user = ? AND id = ?", (user, id)):
            raise InputError(
                f"memory {id!r} of user {user!r} is another one here; import the file for a "
                "new user with --as-user NAME"
            )

    def _recognise(self, table: str, place: tuple[str, str], row: Mapping[str, Any]) -> None:
        """Refuse a file that says more, or something else, of a conversation that is here."""
        identity = _IDENTITIES.get(table)
        if identity is None:
            return
        found = self._db.row(
            f'SELECT created_at FROM "{table}" WHERE conversation = ? AND "{identity}" = ?',
            (self._known[place], row[identity]),
        )
        if found == (row["created_at"],) or (not found and self._was(table, place, row[identity])):
            return
        raise InputError(
            f"conversation {place[1]!r} of user {place[0]!r} is here already and has no such "
            f"{table[:-1] if table == 'turns' else 'memory'} {row[identity]!r}; import the file "
            "for a new user with --as-user NAME, or into a new store"
        )

    def _was(self, table: str, place: tuple[str, str], id: object) -> bool:
        """A memory that is missing here was given its id before: it was forgotten since."""
        given = self._db.number(
            "SELECT last FROM counters WHERE user = ? AND name = 'memory'", (place[0],)
        )
        return table == "memories" and isinstance(id, int) and id <= given

    def _check(self, given: set[str], known: set[str], table: str) -> None:
        if strange := sorted(given - known - {"user"}):
            raise InputError(
                f"{table}: column {strange[0]!r} is not one of {', '.join(sorted(known))}; a "
                "newer palimpsest may have written it: pip install -U palimpsest-memory"
            )


def _check_numbers(table: str, row: Mapping[str, Any]) -> None:
    """Refuse numbers that no store of ours counts up to, and marks that are neither 0 nor 1."""
    for column, value in row.items():
        most = 1 if column in _MARKS else _MOST
        if isinstance(value, int) and not 0 <= value <= most:
            raise InputError(f"{table}: {column} {value:.3e} is not a number from 0 to {most:,}")
