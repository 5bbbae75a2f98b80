"""Export and import of the program's own JSONL: one line a record, loss-free, idempotent.

The first line says what the file is. Invariant: a file appears whole or not at all, an
import happens whole or not at all, and a store remembers the files that were made from it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, TextIO

from palimpsest.audit.held_files import reading
from palimpsest.errors import Forbidden, InputError
from palimpsest.read_back import read_back
from palimpsest.store.importing import Imported
from palimpsest.store.store import Store
from palimpsest.types import Scope

FORMAT = "palimpsest export"
SCHEMA = 1
_LONGEST = 64 << 20
"""Bytes of a line; a turn with pictures takes a few megabytes."""
Progress = Callable[[int], None]
"""Called with the number of records that are done."""


class _Rehearsed(Exception):
    """Takes an import back that was only to be tried."""

    def __init__(self, done: Imported) -> None:
        self.done = done
        super().__init__()


def exported(
    store: Store, path: Path, *, users: Sequence[str] = (), progress: Progress | None = None
) -> int:
    """Write all that is kept of ``users`` (of everybody where none is named) to ``path``.

    Returns the number of records. The file is readable by its owner alone. Raises NotFound
    for an unknown user and InputError for a place that cannot be written.
    """
    with whole_file(store, path) as file:
        return written(store, file.buffer, users=users, progress=progress)


@contextmanager
def whole_file(store: Store, path: Path) -> Iterator[TextIO]:
    """A file for its owner alone that appears at ``path`` when the block ends, or not at all."""
    place = path.resolve()
    draft = place.with_name(f".{place.name}.{os.getpid()}.part")
    try:
        # Before the first byte: a file that a kill leaves half written is remembered too.
        for named in (draft, place):
            store.written_files.add(str(named), "export")
        with open(draft, "x", encoding="utf-8", opener=_private) as file:
            yield file
        draft.replace(place)
        store.written_files.drop(str(draft))
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from None
    finally:
        draft.unlink(missing_ok=True)


def written(
    store: Store, file: IO[bytes], *, users: Sequence[str] = (), progress: Progress | None = None
) -> int:
    """Write the same into an open file, which nobody remembers; the number of records."""
    with store.reading():
        wanted = tuple(users) or store.users()
        file.write(_line({"format": FORMAT, "schema": SCHEMA, "policy": store.policy}))
        count = 0
        for count, record in enumerate(store.records(wanted), 1):
            file.write(_line(record))
            if progress:
                progress(count)
    return count


def imported(
    store: Store, path: Path, *, as_user: str | None = None, progress: Progress | None = None,
    dry_run: bool = False,
) -> Imported:  # fmt: skip
    """Take over an exported file; what is here already stays as it is.

    ``as_user`` gives the one user of the file another name; ``dry_run`` takes all of it back
    in the end. Raises InputError with the line
    for anything that is not an export, and changes nothing then.
    """
    if as_user is not None and not as_user.strip():
        raise InputError("--as-user: is blank; give a name")
    try:
        with reading(path) as file:
            return taken(
                store, file, str(path), as_user=as_user, progress=progress, dry_run=dry_run
            )
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None


def taken(
    store: Store, file: IO[bytes], name: str, *, as_user: str | None = None,
    progress: Progress | None = None, holds: Callable[[str], bool] = lambda user: True,
    dry_run: bool = False,
) -> Imported:  # fmt: skip
    """Take over an exported file that is open; ``name`` stands for it in errors.

    Raises Forbidden where it speaks of a user that is not one of those that ``holds``.
    """
    lines = _lines(name, file)
    _check(store, name, next(lines, (f"{name}:1", {})))
    try:
        with store.transaction():
            done = store.take(_counted(_held(lines, holds), progress), as_user=as_user)
            read_back(store, [Scope(user=user, conversation=place) for user, place in done.added])
            if dry_run:
                raise _Rehearsed(done)
    except _Rehearsed as rehearsed:
        return rehearsed.done
    return done


def _held(
    lines: Iterator[tuple[str, Mapping[str, Any]]], holds: Callable[[str], bool]
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for where, record in lines:
        user = record.get("user")
        if isinstance(user, str) and not holds(user):
            raise Forbidden(f"{where}: the key does not hold user {user!r}; nothing was imported")
        yield where, record


def _check(store: Store, name: str, first: tuple[str, Mapping[str, Any]]) -> None:
    where, head = first
    if head.get("format") != FORMAT:
        raise InputError(f"{where}: is not the first line of a file of 'palimpsest export'")
    if head.get("schema") != SCHEMA:
        raise InputError(
            f"{where}: schema {head.get('schema')!r} is not {SCHEMA}; a newer palimpsest wrote it: "
            "pip install -U palimpsest-memory"
        )
    if head.get("policy") != store.policy:
        raise InputError(
            f"{where}: is of a store with the policy {head.get('policy')!r}, and "
            f"{store.path!r} has {store.policy!r}; import it into a new store"
        )


def _lines(name: str, file: IO[bytes]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for number, raw in enumerate(iter(lambda: file.readline(_LONGEST + 1), b""), 1):
        where = f"{name}:{number}"
        if len(raw) > _LONGEST:
            raise InputError(f"{where}: is over {_LONGEST:,} bytes; nothing was imported")
        if not raw.strip():
            continue
        try:
            record = json.loads(raw)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{where}: is not JSON ({error}); nothing was imported") from None
        if not isinstance(record, dict):
            raise InputError(f"{where}: is not a JSON object; nothing was imported")
        yield where, record


def _counted(
    lines: Iterator[tuple[str, Mapping[str, Any]]], progress: Progress | None
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for count, line in enumerate(lines, 1):
        yield line
        if progress:
            progress(count)


def _line(record: Mapping[str, Any]) -> bytes:
    return json.dumps(record, ensure_ascii=True, separators=(",", ":")).encode("ascii") + b"\n"


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
