"""Backups: a copy of the whole database.

Invariant: a copy appears whole or not at all, and the store remembers that it was made.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from palimpsest.errors import InputError
from palimpsest.store.store import Store

Progress = Callable[[int, int], None]
"""Called with the pages that were copied and the pages there are."""


def backed_up(store: Store, path: Path, progress: Progress) -> None:
    """Copy the store to ``path``, while others may go on writing; raises InputError."""
    place = path.resolve()
    if place.exists():
        raise InputError(f"{path}: is there already; a backup never replaces a file")
    draft = place.with_name(f".{place.name}.{os.getpid()}.part")
    try:
        for named in (draft, place):
            store.written_files.add(str(named), "backup")
        os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        store.copy_to(str(draft), progress)
        draft.replace(place)
        store.written_files.drop(str(draft))
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from None
    finally:
        for end in ("", "-wal", "-shm", "-journal"):
            draft.with_name(draft.name + end).unlink(missing_ok=True)
