"""Opening a store: check first, write after.

Invariant: a file that is not ours is closed as it was found, and a file of ours is either
wholly of the newest schema or as it was found.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from palimpsest.audit.held_files import reading
from palimpsest.errors import InputError, NotADatabase
from palimpsest.store import lexical_tables, migrations
from palimpsest.store.database import BUSY_SECONDS, Database
from palimpsest.store.faults import MEMORY, check_place, translated
from palimpsest.store.secret import Secret
from palimpsest.store.store import Store
from palimpsest.types import POLICIES, Policy

_MAGIC = b"SQLite format 3\0"
_APPLICATION_ID = slice(68, 72)


def utc_now() -> str:
    """The time as ISO 8601, UTC, to the microsecond."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def in_utc(clock: Callable[[], str]) -> Callable[[], str]:
    """A clock whose texts are in UTC, whatever offset the given one writes them with.

    Texts are compared by their days, so one of another zone would be counted to the wrong one.
    """

    def now() -> str:
        text = clock()
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            return text
        return moment.astimezone(UTC).isoformat() if moment.utcoffset() else text

    return now


def open_store(
    path: str | os.PathLike[str],
    *,
    policy: Policy | None = None,
    clock: Callable[[], str] = utc_now,
    keep_requests: int = 1000,
    busy_seconds: float = BUSY_SECONDS,
    key_file: str | os.PathLike[str] | None = None,
) -> Store:
    """Open a store, making the file where there is none; ``:memory:`` lives in the process.

    ``policy`` is recorded when the store is made (``managed`` by default) and must be the
    recorded one, or ``None``, ever after. ``clock`` yields ISO 8601 texts; they are kept in
    UTC. Each conversation keeps its newest ``keep_requests`` ledgers. ``key_file`` is where the
    key of the deletion records is kept, by default beside the file. Raises StoreError and its
    kinds, and InputError for a policy that is not the store's.
    """
    if policy is not None and policy not in POLICIES:
        raise InputError(f"policy: {policy!r} is not one of {', '.join(POLICIES)}")
    if keep_requests < 1:
        raise InputError(f"keep_requests: {keep_requests!r} is not at least 1")
    place = os.fspath(path)
    if place != MEMORY:
        check_place(place)
        _check_header(Path(place))
    db = Database(place, busy_seconds=busy_seconds)
    try:
        with translated(place, busy_seconds):
            secret = Secret(place, key_file or None)
            return _prepared(db, policy, in_utc(clock), keep_requests, secret)
    except BaseException:
        db.close()
        raise


def _prepared(
    db: Database, policy: Policy | None, clock: Callable[[], str], keep_requests: int,
    secret: Secret,
) -> Store:  # fmt: skip
    with db.reading():
        _check_ours(db)
        # A wrong policy is refused before an older file is migrated.
        if migrations.applied(db):
            _check_policy(db, policy)
    if migrations.pending(db):
        migrations.migrate(db, clock())
    if not lexical_tables.of_today(db):
        with db.transaction():
            # Another process may have made them while this one waited for the lock.
            if not lexical_tables.of_today(db):
                lexical_tables.make(db)
    elif lexical_tables.levels(db) >= lexical_tables.MOST_LEVELS:
        with db.transaction():
            lexical_tables.rebuild(db)
    # Only now: the journal mode is written into the file.
    db.use_wal()
    recorded = _recorded_policy(db)
    if recorded is None:
        with db.transaction():
            db.write("INSERT OR IGNORE INTO meta VALUES ('policy', ?)", (policy or "managed",))
        recorded = _recorded_policy(db)
    assert recorded is not None
    _check_policy(db, policy)
    found = db.row("SELECT value FROM meta WHERE key = 'salt'")
    assert found is not None
    return Store(
        db, policy=recorded, salt=found[0], now=clock, keep_requests=keep_requests, secret=secret
    )


def _check_header(path: Path) -> None:
    """Refuse a foreign file from its first bytes, before SQLite touches it."""
    # A journal means that page 1 may be half written: then only SQLite can read the file.
    if not path.exists() or Path(f"{path}-journal").exists():
        return
    head = _first_bytes(path)
    if not head:
        return
    if not head.startswith(_MAGIC):
        raise NotADatabase(
            f"{str(path)!r} is not an SQLite database (it begins with {head[:16]!r}); it was left "
            "as it is: name another file"
        )
    if int.from_bytes(head[_APPLICATION_ID]) != migrations.APPLICATION_ID:
        raise _foreign(str(path))


def _first_bytes(path: Path) -> bytes:
    with reading(path) as file:
        return file.read(100)


def _check_ours(db: Database) -> None:
    if migrations.applied(db):
        return
    if db.number("SELECT count(*) FROM sqlite_master"):
        raise _foreign(db.path)


def _foreign(path: str) -> NotADatabase:
    return NotADatabase(
        f"{path!r} is an SQLite database of another application; it was left as it is: name "
        "another file"
    )


def _recorded_policy(db: Database) -> Policy | None:
    found = db.row("SELECT value FROM meta WHERE key = 'policy'")
    return next((known for known in POLICIES if found and known == found[0]), None)


def _check_policy(db: Database, policy: Policy | None) -> None:
    recorded = _recorded_policy(db)
    if policy is not None and recorded is not None and policy != recorded:
        raise InputError(
            f"policy: {db.path!r} was made as {recorded!r} and is opened as {policy!r}; open it as "
            f"{recorded!r}, or name another file"
        )
