"""Every SQLite error leaves the store as one of ours, with what to do about it.

Invariant: no ``sqlite3.Error`` passes ``translated``.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from palimpsest.errors import NotADatabase, ReadOnly, StoreError

MEMORY = ":memory:"
"""The path of a store that lives in the process only."""


@contextmanager
def translated(path: str, timeout: float) -> Iterator[None]:
    """Run SQLite calls on ``path``; raises StoreError or one of its kinds."""
    try:
        yield
    except sqlite3.Error as error:
        raise meaning(error, path, timeout) from error


def meaning(error: sqlite3.Error, path: str, timeout: float) -> StoreError:
    """Our error for an SQLite error; ``timeout`` is the wait for a lock, in seconds."""
    name = getattr(error, "sqlite_errorname", None) or ""
    if name.startswith(("SQLITE_NOTADB", "SQLITE_CORRUPT")):
        return NotADatabase(
            f"{path!r} is damaged or is not an SQLite database ({error}); it was left as it is: "
            "restore it from a backup, or name another file"
        )
    if name.startswith("SQLITE_READONLY"):
        return _read_only(path)
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return StoreError(
            f"{path!r} was locked by another writer for {timeout:g} seconds; nothing was "
            "written: try again, or end the program that holds it"
        )
    if name.startswith("SQLITE_FULL"):
        return StoreError(f"the disk of {path!r} is full; nothing was written: free some space")
    if name.startswith("SQLITE_IOERR"):
        return StoreError(
            f"{path!r}: the disk failed ({name}); what was told before is kept and this was not "
            "written: free some space or raise the quota, check the disk, then try again"
        )
    if name.startswith("SQLITE_CANTOPEN"):
        return _cannot_open(path, error)
    if isinstance(error, sqlite3.ProgrammingError) and "closed" in str(error):
        return StoreError(f"the store {path!r} was closed; open it again")
    return StoreError(f"{path!r}: SQLite says {error} ({name or type(error).__name__})")


def is_busy(error: StoreError) -> bool:
    """True where another connection was in the way."""
    name = getattr(error.__cause__, "sqlite_errorname", None) or ""
    return name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED"))


def is_no_room(error: StoreError) -> bool:
    """True where the disk took no more, or failed to."""
    name = getattr(error.__cause__, "sqlite_errorname", None) or ""
    return name.startswith(("SQLITE_FULL", "SQLITE_IOERR"))


def check_place(path: str) -> None:
    """Refuse a path where no database can live, before anything is opened or made."""
    if "\0" in path or not path:
        raise StoreError(f"{path!r} is not a path; name a file, or {MEMORY!r}")
    file = Path(path)
    if file.is_dir():
        raise StoreError(f"{path!r} is a directory; name a file inside it")
    parent = file.parent
    if not parent.is_dir():
        raise StoreError(f"{path!r}: the directory {str(parent)!r} does not exist; create it first")
    # SQLite would open such a file silently for reading and fail at the first write.
    if not os.access(parent, os.W_OK) or (file.exists() and not os.access(file, os.W_OK)):
        raise _read_only(path)


def _read_only(path: str) -> ReadOnly:
    return ReadOnly(
        f"{path!r} cannot be written: the file or its directory is read-only; make both "
        "writable (SQLite keeps its journal beside the file), or name another place"
    )


def _cannot_open(path: str, error: sqlite3.Error) -> StoreError:
    if path != MEMORY:
        try:
            check_place(path)
        except StoreError as found:
            return found
    return StoreError(f"{path!r} cannot be opened or created ({error}); name another place")
