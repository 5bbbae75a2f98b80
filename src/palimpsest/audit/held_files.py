"""Reads files that this process may have open as databases, and takes no lock away from them.

A process loses every POSIX lock on a file as soon as it closes any descriptor of that file.
SQLite tells by those locks that a database is in use: without them the next process that closes
it deletes the write-ahead log, and what is written here from then on is lost.
Invariant: no descriptor of a file is closed while a database of this process holds that file;
it is kept, used for the next reading, and closed with the last connection.
"""

from __future__ import annotations

import io
import os
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

_COMPANIONS = ("", "-wal", "-shm", "-journal")
_Identity = tuple[int, int]

# The garbage collector may close an abandoned database inside of what holds it.
_lock = threading.RLock()
_held: Counter[str] = Counter()
"""Connections of this process by the path of their database."""
_kept: dict[_Identity, list[io.FileIO]] = {}


def hold(path: str) -> str:
    """Say that a connection to a database is about to be made; returns what to release."""
    name = os.path.realpath(path)
    with _lock:
        _held[name] += 1
    return name


def release(name: str) -> None:
    """Say that a connection was closed; with the last one go the descriptors that were kept."""
    with _lock:
        _held[name] -= 1
        if _held[name] <= 0:
            del _held[name]
        in_use = _in_use()
        for identity in [one for one in _kept if one not in in_use]:
            for file in _kept.pop(identity, ()):
                file.close()


@contextmanager
def reading(path: Path) -> Iterator[BinaryIO]:
    """A file from its first byte on; raises OSError."""
    raw = _taken(path)
    # A buffer of its own for every reading: an old one holds what the file said before.
    buffered = io.BufferedReader(raw)
    try:
        yield buffered
    finally:
        buffered.detach()
        with _lock:
            identity = _identity(os.fstat(raw.fileno()))
            if identity in _in_use():
                _kept.setdefault(identity, []).append(raw)
            else:
                raw.close()


def _taken(path: Path) -> io.FileIO:
    with _lock:
        known = _kept.get(_identity(path.stat()))
        if known:
            raw = known.pop()
            raw.seek(0)
            return raw
    return io.FileIO(path)


def _in_use() -> set[_Identity]:
    found = set()
    for path in _held:
        for end in _COMPANIONS:
            try:
                found.add(_identity(os.stat(path + end)))
            except OSError:
                continue
    return found


def _identity(stat: os.stat_result) -> _Identity:
    return stat.st_dev, stat.st_ino
