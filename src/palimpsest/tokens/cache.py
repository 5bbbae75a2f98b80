"""The folder that holds prepared tokenizers, and the lock file that vouches for them.

A prepared tokenizer is ``tokenizer.json``, ``chat_template.jinja`` and ``lock.json``, which
records where they came from and the size and SHA-256 of each. The lock file is written last
and atomically, so a folder without one is not prepared. Invariant: no byte is used whose
checksum was not compared with its record.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import filelock
import platformdirs

from palimpsest.errors import NotPrepared

VOCABULARY, TEMPLATE, LOCK = "tokenizer.json", "chat_template.jinja", "lock.json"
Source = Literal["hub", "packages", "path"]
State = Literal["intact", "missing", "truncated", "altered"]
_SCHEMA = 1
_WAIT_SECONDS = 1800
"""How long a second ``prepare`` of the same name waits for the first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSum:
    """What a file must be."""

    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """The lock file: one prepared tokenizer and where it came from."""

    name: str
    source: Source
    origin: str
    """The repository with its revision, the packages with their versions, or the path."""
    why: str
    """Why this source and no earlier one; empty for the first choice."""
    licence: str
    pin: str
    """A hash of the manifest's pins; another one means another version of the pins."""
    proven: bool
    """True when a property test holds this template's additive count."""
    files: Mapping[str, FileSum]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileState:
    """What ``verify`` found of one file; ``said`` is empty for an intact one."""

    path: Path
    state: State
    said: str


def root(cache_dir: Path | None = None) -> Path:
    """The cache folder: the argument, ``PALIMPSEST_CACHE``, or the platform's own."""
    if cache_dir is not None:
        return cache_dir
    named = os.environ.get("PALIMPSEST_CACHE")
    return Path(named) if named else platformdirs.user_cache_path("palimpsest")


def folder(name: str, cache_dir: Path | None = None) -> Path:
    """Where a tokenizer of that name is kept."""
    return root(cache_dir) / "tokenizers" / name


@contextmanager
def locked(place: Path) -> Iterator[None]:
    """Hold a tokenizer's folder against a second process; creates the folder."""
    try:
        place.mkdir(parents=True, exist_ok=True)
        with filelock.FileLock(place.with_name(place.name + ".lock"), timeout=_WAIT_SECONDS):
            yield
    except filelock.Timeout:
        raise NotPrepared(
            f"{place}: another process has been preparing it for {_WAIT_SECONDS // 60} minutes; "
            "wait for it, or end it and run the command again"
        ) from None
    except OSError as error:
        raise NotPrepared(
            f"{error.filename or place}: cannot be written ({error.strerror or error}); make room "
            "or set PALIMPSEST_CACHE to a folder that can be written"
        ) from None


def read(place: Path) -> Prepared | None:
    """The lock file of a folder, or ``None`` where nothing is prepared."""
    try:
        data = json.loads((place / LOCK).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise _damaged(place, str(error)) from None
    if not isinstance(data, dict) or data.pop("schema", None) != _SCHEMA:
        raise _damaged(place, f"its schema is not {_SCHEMA}")
    try:
        files = {file: FileSum(**summed) for file, summed in data.pop("files").items()}
        return Prepared(**data, files=files)
    except (TypeError, KeyError, AttributeError) as error:
        raise _damaged(place, str(error)) from None


def _damaged(place: Path, why: str) -> NotPrepared:
    return NotPrepared(
        f"{place / LOCK}: is not a lock file ({why}); delete it and run "
        f"`palimpsest tokenizer prepare {place.name}`"
    )


def write(place: Path, record: Prepared) -> None:
    """Write the lock file; from then on the folder counts as prepared."""
    files = {f: {"bytes": s.bytes, "sha256": s.sha256} for f, s in record.files.items()}
    data: dict[str, Any] = {
        "schema": _SCHEMA,
        "name": record.name,
        "source": record.source,
        "origin": record.origin,
        "why": record.why,
        "licence": record.licence,
        "pin": record.pin,
        "proven": record.proven,
        "files": files,
    }
    write_atomic(place / LOCK, (json.dumps(data, indent=2) + "\n").encode())


def write_atomic(path: Path, data: bytes) -> None:
    """Write a file whole or not at all."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def sum_of(data: bytes) -> FileSum:
    """Size and SHA-256 of some bytes."""
    return FileSum(bytes=len(data), sha256=hashlib.sha256(data).hexdigest())


def states(place: Path, record: Prepared) -> tuple[FileState, ...]:
    """Every recorded file with what became of it."""
    return tuple(_state(place / file, wanted)[0] for file, wanted in record.files.items())


def load(place: Path, record: Prepared, file: str) -> bytes:
    """The bytes of a prepared file; raises NotPrepared unless they are the recorded ones."""
    if file not in record.files:
        raise _damaged(place, f"it does not record {file}")
    found, data = _state(place / file, record.files[file])
    if found.state != "intact":
        raise NotPrepared(f"{found.said}; run `palimpsest tokenizer prepare {record.name}`")
    return data


def _state(path: Path, wanted: FileSum) -> tuple[FileState, bytes]:
    state: State = "intact"
    said, data = "", b""
    try:
        data = path.read_bytes()
    except OSError as error:
        state, said = "missing", f"{path}: is missing ({error.strerror})"
    if state == "intact" and len(data) < wanted.bytes:
        state, said = (
            "truncated",
            f"{path}: is truncated ({len(data)} of {wanted.bytes} bytes)",
        )
    elif state == "intact" and sum_of(data) != wanted:
        state = "altered"
        said = (
            f"{path}: is altered ({len(data)} bytes of SHA-256 {sum_of(data).sha256[:12]}..., "
            f"recorded are {wanted.bytes} of {wanted.sha256[:12]}...)"
        )
    return FileState(path=path, state=state, said=said), data
