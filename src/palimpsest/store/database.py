"""One SQLite connection that several threads may share.

Invariant: every connection has foreign keys, ``secure_delete`` and a busy timeout on; a
write happens inside ``transaction`` (``BEGIN IMMEDIATE``) and either wholly or not at all.
"""

from __future__ import annotations

import random
import sqlite3
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from palimpsest.audit.held_files import hold, reading, release
from palimpsest.errors import StoreError
from palimpsest.store.faults import MEMORY, is_busy, is_no_room, translated

Row = tuple[Any, ...]

BUSY_SECONDS = 30.0
"""How long a writer waits for another one before it gives up.

Eight processes that write without a pause, on two cores that others hold at nine tenths, made one
of them wait longer than ten.
"""
_LOOKS = (0.0005, 0.005)
"""Seconds between two looks of a process that waits for another one, drawn anew each time.

The writers of a process share its looks: forty of them that each looked so often took a core.
"""
_PATIENCE = 2.0
"""Seconds after which a writer looks ten times as often, ahead of those that came later."""
_ERASE_MILLISECONDS = 200
_PIECE = 1 << 22
_AT_A_TIME = 50
_COPIED_PAGES = 1000
"""Pages between two reports of a copy."""


class Database:
    """A connection, its lock, and transactions that nest."""

    def __init__(self, path: str, *, busy_seconds: float = BUSY_SECONDS) -> None:
        self.path = path
        self._busy = busy_seconds
        self._lock = threading.RLock()
        self._depth = self._waiting = 0
        self._writing = False
        self._section = self._owner = 0
        self._scrub = False
        self._traces: set[bytes] = set()
        self._listeners: list[Callable[[], None]] = []
        self._hold = hold(path)
        try:
            self._connection = _connected(path, busy_seconds)
        except BaseException:
            release(self._hold)
            raise

    def use_wal(self) -> None:
        """Switch the file to write-ahead logging, where it is not in it yet."""
        if self.path == MEMORY:
            return
        deadline = time.monotonic() + self._busy
        while True:
            try:
                self.rows("PRAGMA journal_mode=WAL")
                break
            except StoreError as error:
                # SQLite does not wait its busy timeout for this switch.
                if not is_busy(error) or time.monotonic() > deadline:
                    raise
                time.sleep(0.01)
        # A process that was killed may have left deleted text in the log.
        with self._lock:
            self._erase_log()

    def close(self) -> None:
        """Close the connection; a second close does nothing."""
        with self._lock, translated(self.path, self._busy):
            self._connection.close()
            if self._hold:
                release(self._hold)
            self._hold = ""

    def rows(self, sql: str, params: Sequence[object] = ()) -> list[Row]:
        """All rows of one statement."""
        with self._lock, translated(self.path, self._busy):
            return self._connection.execute(sql, params).fetchall()

    def each(self, sql: str, params: Sequence[object] = ()) -> Iterator[Row]:
        """The rows of one statement, a few at a time; inside ``reading()`` until the last."""
        assert self._depth, "rows that are read over time need one state of the database"
        with translated(self.path, self._busy):
            cursor = self._connection.execute(sql, params)
            while rows := cursor.fetchmany(_AT_A_TIME):
                yield from rows

    def row(self, sql: str, params: Sequence[object] = ()) -> Row | None:
        """The first row of one statement."""
        found = self.rows(sql, params)
        return found[0] if found else None

    def number(self, sql: str, params: Sequence[object] = ()) -> int:
        """The one whole number that a statement yields; 0 where it yields nothing."""
        found = self.row(sql, params)
        return int(found[0]) if found and found[0] is not None else 0

    def write(self, sql: str, params: Sequence[object] = ()) -> int:
        """Run one writing statement inside a transaction; the number of rows it touched."""
        with self._lock, translated(self.path, self._busy):
            assert self._writing, "a write outside transaction()"
            return self._connection.execute(sql, params).rowcount

    def write_many(self, sql: str, params: Iterable[Sequence[object]]) -> None:
        """Run one writing statement for many rows inside a transaction."""
        with self._lock, translated(self.path, self._busy):
            assert self._writing, "a write outside transaction()"
            self._connection.executemany(sql, params)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Write wholly or not at all; an inner one is a savepoint of the outer."""
        with self._lock:
            assert self._writing or not self._depth, "a transaction inside reading()"
            if self._depth:
                with self._nested(f"SAVEPOINT s{self._depth}", f"s{self._depth}"):
                    yield
                return
            self._begin_writing()
            with self._outermost(writing=True):
                yield
            if self._scrub:
                self._erase_log()
        for call in self._listeners:
            call()

    def after_commit(self, call: Callable[[], None]) -> None:
        """Run ``call``, which must be quick and raise nothing, after every outermost commit."""
        self._listeners.append(call)

    @property
    def section(self) -> int:
        """A number of this ``reading()`` or ``transaction()`` of the thread; 0 outside of one.

        What a thread reads under one number stays true under it, but for its own writes. A
        part that is taken back begins a new number.
        """
        # Without the lock: only the thread that owns the section can see its own number here.
        return self._section if self._owner == threading.get_ident() else 0

    @property
    def writing(self) -> bool:
        """True inside a transaction: what is read may still be taken back."""
        return self._writing

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Every read inside sees one state of the database, whatever others write."""
        with self._lock:
            if self._depth:
                yield
                return
            self._run("BEGIN")
            with self._outermost(writing=False):
                yield

    def copy_to(self, path: str, progress: Callable[[int, int], None]) -> None:
        """Copy every page into the database at ``path``, in one state, in one transaction.

        ``progress`` gets the pages that were copied and the pages there are.
        """
        with self._lock, translated(path, self._busy):
            other = sqlite3.connect(path, timeout=self._busy, isolation_level=None)
            try:
                other.execute("PRAGMA secure_delete=ON")
                self._connection.backup(
                    other, pages=_COPIED_PAGES,
                    progress=lambda _, left, of: progress(of - left, of),
                )  # fmt: skip
                other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            finally:
                other.close()

    def erase_log(self, traces: Iterable[str] = ()) -> None:
        """Empty the write-ahead log after the commit: deleted text must not stay in it.

        Where one of the ``traces`` still stands in the file then, the file is written anew: a
        page that was split may hold a copy of a row that ``secure_delete`` never saw.
        """
        with self._lock:
            self._scrub = True
            self._traces.update(trace.encode() for trace in traces)

    @property
    def erasing(self) -> bool:
        """True while a reader still keeps deleted text alive in the write-ahead log."""
        return self._scrub

    @contextmanager
    def _outermost(self, *, writing: bool) -> Iterator[None]:
        self._depth, self._writing = 1, writing
        self._section += 1
        self._owner = threading.get_ident()
        try:
            yield
            self._run("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._run("ROLLBACK")
            raise
        finally:
            self._depth, self._writing, self._owner = 0, False, 0

    def _begin_writing(self) -> None:
        # SQLite's own wait looks every 100 ms: among many busy writers it may never meet a gap.
        begun = time.monotonic()
        while True:
            try:
                return self._begin_at_once()
            except StoreError as error:
                waited = time.monotonic() - begun
                if not is_busy(error) or waited > self._busy:
                    raise
            often = 10 if waited > _PATIENCE else 1
            self._waiting += 1
            seconds = random.uniform(*_LOOKS) * self._waiting / often  # noqa: S311 - no secret
            # Whoever waits for another process must not keep this one's threads from reading.
            self._lock.release()
            try:
                time.sleep(seconds)
            finally:
                self._lock.acquire()
                self._waiting -= 1

    def _begin_at_once(self) -> None:
        self._run("PRAGMA busy_timeout=0")
        try:
            self._run("BEGIN IMMEDIATE")
        finally:
            self._run(f"PRAGMA busy_timeout={round(self._busy * 1000)}")

    @contextmanager
    def _nested(self, begin: str, name: str) -> Iterator[None]:
        self._run(begin)
        self._depth += 1
        try:
            yield
        except BaseException:
            self._section += 1
            if self._connection.in_transaction:
                self._run(f"ROLLBACK TO {name}")
                self._run(f"RELEASE {name}")
            raise
        else:
            self._run(f"RELEASE {name}")
        finally:
            self._depth -= 1

    def _run(self, sql: str) -> None:
        with translated(self.path, self._busy):
            self._connection.execute(sql)

    def _erase_log(self) -> None:
        # Busy (1) while another connection reads an older state: the next commit tries again.
        self._run(f"PRAGMA busy_timeout={_ERASE_MILLISECONDS}")
        try:
            found = self.row("PRAGMA wal_checkpoint(TRUNCATE)")
            self._scrub = bool(found and found[0])
        except StoreError as error:
            # The commit holds; to fail now would say that nothing was written.
            if not is_no_room(error):
                raise
            self._scrub = True
        finally:
            self._run(f"PRAGMA busy_timeout={round(self._busy * 1000)}")
        if not self._scrub and self._traces:
            self._write_anew()

    def _write_anew(self) -> None:
        traces, self._traces = self._traces, set()
        if self.path == MEMORY or not _holds(self.path, traces):
            return
        try:
            self._run("VACUUM")
            found = self.row("PRAGMA wal_checkpoint(TRUNCATE)")
            self._scrub = bool(found and found[0])
        except StoreError:
            # Another process writes, or the disk is full: the next commit tries again.
            self._scrub = True
        if self._scrub:
            self._traces |= traces


def _connected(path: str, busy_seconds: float) -> sqlite3.Connection:
    with translated(path, busy_seconds):
        made = sqlite3.connect(
            path, timeout=busy_seconds, isolation_level=None, check_same_thread=False
        )
        # Never rely on the defaults of one build of SQLite: Debian's erases, others do not.
        for pragma in ("foreign_keys=ON", "secure_delete=ON", "temp_store=MEMORY"):
            made.execute(f"PRAGMA {pragma}")
    return made


def _holds(path: str, traces: Collection[bytes]) -> bool:
    """True where a file holds one of some texts, read in overlapping pieces."""
    longest = max(map(len, traces))
    with reading(Path(path)) as file:
        tail = b""
        while piece := file.read(_PIECE):
            if any(trace in tail + piece for trace in traces):
                return True
            tail = piece[-longest:]
    return False
