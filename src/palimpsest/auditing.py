"""Audits: is a value still anywhere in what the program wrote?

Rows are read and bytes are scanned, and the scan first proves that it can see (``canary``).
Invariant: an audit changes nothing but a folder of its own, and its result holds counts,
paths and offsets, never the value.
"""

from __future__ import annotations

import dataclasses
import glob
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from palimpsest import audit
from palimpsest.audit.canary import PAGE, blind_spots
from palimpsest.audit.needles import Needle
from palimpsest.errors import InputError, PalimpsestError
from palimpsest.language.surface_forms import find
from palimpsest.models import weights
from palimpsest.store.canary import planted
from palimpsest.store.holding import Holding, contains
from palimpsest.store.store import Store
from palimpsest.tokens import cache

_BESIDE = ("", "-wal", "-shm", "-journal")
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """What was looked at for one value, and where the value is."""

    rows: tuple[Holding, ...]
    findings: tuple[audit.Finding, ...]
    files: int
    bytes: int
    unread: tuple[str, ...]
    by_bytes: bool
    """False where the value is too short for a scan to say anything: only rows were read."""
    scrubbed: bool
    """False while a reader keeps an older state alive in the write-ahead log."""
    canary: int
    """How many patterns were planted and found before the scan; 0 where none was made."""

    @property
    def clean(self) -> bool:
        """Nothing holds the value, and nothing was left unread."""
        return not (self.rows or self.findings or self.unread) and self.scrubbed


def audited(
    store: Store, value: str, *, paths: Sequence[Path] = (), progress: Progress | None = None
) -> Audit:
    """Look for ``value`` in every row and in every byte of every file of the program.

    Rows are read for every form in which people write the value, bytes are scanned for it as it
    is given, in every encoding.

    ``paths`` are further files, or folders with all that is in them (reports, logs). Raises
    InputError for a blank value or a path that is not there, and PalimpsestError where the
    scan cannot see a canary, since then it would prove nothing.
    """
    return audited_all(store, [value], paths=paths, progress=progress)[0]


def audited_all(
    store: Store, values: Sequence[str], *, paths: Sequence[Path] = (),
    progress: Progress | None = None,
) -> tuple[Audit, ...]:  # fmt: skip
    """The same for several values: rows are read and files are scanned once for all of them."""
    for value in values:
        if not isinstance(value, str) or not value.strip():
            raise InputError(f"value: {value!r} is blank; give the text that must be gone")
    for path in paths:
        if not path.exists():
            raise InputError(f"--paths {path}: there is nothing at that place")
    values = [value.strip() for value in values]
    rows = _rows(store, values)
    patterns = [
        Needle(encoding=f"{place}:{needle.encoding}", pattern=needle.pattern)
        for place, value in enumerate(values)
        if audit.scannable(value)
        for needle in audit.needles([value])
    ]
    places = tuple(dict.fromkeys((*_own(store), *_files(paths)))) if patterns else ()
    if patterns:
        _prove()
    found = audit.scan(places, patterns, progress)
    return tuple(
        _audit(store, place, value, rows[place], found, patterns)
        for place, value in enumerate(values)
    )


def _audit(
    store: Store, place: int, value: str, rows: tuple[Holding, ...], found: audit.Scan,
    patterns: Sequence[Needle],
) -> Audit:  # fmt: skip
    by_bytes, mine = audit.scannable(value), f"{place}:"
    return Audit(
        rows=rows, files=found.files if by_bytes else 0, bytes=found.bytes if by_bytes else 0,
        findings=tuple(
            dataclasses.replace(one, encoding=one.encoding.removeprefix(mine))
            for one in found.findings
            if one.encoding.startswith(mine)
        ),
        unread=found.unread if by_bytes else (), by_bytes=by_bytes, scrubbed=not store.erasing,
        canary=sum(needle.encoding.startswith(mine) for needle in patterns),
    )  # fmt: skip


def _rows(store: Store, values: Sequence[str]) -> list[tuple[Holding, ...]]:
    """The rows that hold each value; those that hold any are few, so they are told apart last."""
    plainly = contains(values) if values else None

    def any_holds(text: str) -> bool:
        return plainly is not None and (plainly(text) or any(find(v, text) for v in values))

    if not store.holding(any_holds):
        return [() for _ in values]
    return [store.holding(_holds(value)) for value in values]


def _holds(value: str) -> Callable[[str], bool]:
    plainly = contains([value])
    return lambda text: plainly(text) or bool(find(value, text))


def _prove() -> None:
    with tempfile.TemporaryDirectory(prefix="palimpsest-") as folder, ExitStack() as stack:
        missed = blind_spots(
            Path(folder),
            lambda path, texts: stack.enter_context(planted(path, texts, page=PAGE)),
        )
    if missed:
        raise PalimpsestError(f"the scan did not see its own canary: {', '.join(missed)}")


def _own(store: Store) -> Iterator[Path]:
    """The database with its companions, what was written from it, and the caches."""
    if store.path != ":memory:":
        yield from (Path(f"{store.path}{end}") for end in _BESIDE)
        place = Path(store.path)
        # A restore that was killed leaves its draft, which holds what the backup held.
        yield from sorted(place.parent.glob(f".{glob.escape(place.name)}.*.restoring*"))
    for written in store.written_files.all():
        yield from _files([Path(written.path)])
    fetched = set(_fetched())
    yield from (path for path in _files([cache.root()]) if path not in fetched)


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            yield from sorted(found for found in path.rglob("*") if found.is_file())
        elif path.is_file():
            yield path


def _fetched() -> Iterator[Path]:
    """Files of the cache that are, byte for byte, what was published: nobody's words."""
    tokenizers = cache.root() / "tokenizers"
    for place in sorted(tokenizers.iterdir()) if tokenizers.is_dir() else ():
        try:
            record = cache.read(place) if place.is_dir() else None
        except PalimpsestError:
            continue
        for state in cache.states(place, record) if record else ():
            if state.state == "intact":
                yield state.path
    try:
        yield weights.verified()
    except PalimpsestError:
        return
