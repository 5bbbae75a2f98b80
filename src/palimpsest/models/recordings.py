"""A recording of answers as a file of JSON lines: one head, requests, answers.

The head says what was asked and who answered; each request stands once, whole, before its
answers. A line is appended in one write and flushed to the disk, so an interruption costs
at most the line that was being written, and that one is cut away at the next opening.
Invariant: what has a line end was written whole.
"""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import filelock

from palimpsest.chat import ModelIdentity, Sampling, hash_of
from palimpsest.errors import InputError
from palimpsest.types import canonical

SCHEMA = 1
KIND = "palimpsest answers"
Key = TypeVar("Key", bound=tuple[object, ...])
Row = TypeVar("Row")


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """What every answer of a file has in common."""

    suite: str
    suite_hash: str
    config: str
    """The tagged hash of the settings."""
    tokenizer: str
    tokenizer_fingerprint: str
    model: ModelIdentity
    sampling: Sampling
    palimpsest: str = ""
    started: str = ""
    """ISO 8601, UTC; not compared."""
    markers: tuple[str, ...] = ()
    """Control strings that a quoted text never carries raw."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedRequest:
    """One request that was sent, exactly."""

    strategy: str
    case: str
    hash: str
    window: int
    limit: int
    tokens: int
    """As palimpsest counted it."""
    messages: tuple[Mapping[str, Any], ...]
    tools: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenAnswer:
    """One answer to one request with one seed."""

    strategy: str
    case: str
    seed: int
    answer: str
    tool_calls: tuple[str, ...] = ()
    stop: str = "stop"
    prompt_tokens: int | None = None
    answer_tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """A file of answers. ``head`` is ``None`` for the published form, which has none."""

    head: Head | None
    requests: Mapping[tuple[str, str], AskedRequest] = field(default_factory=dict)
    """By strategy and case."""
    answers: tuple[GivenAnswer, ...] = ()


def read(path: Path) -> Recording:
    """Read a recording; raises InputError with the line that is wrong."""
    return parse(_bytes(path), str(path))


def parse(data: bytes, where: str) -> Recording:
    """Read the lines of a recording; a last line without its end is passed over."""
    head: Head | None = None
    requests: dict[tuple[str, str], AskedRequest] = {}
    answers: dict[tuple[str, str, int], GivenAnswer] = {}
    for number, line in enumerate(_whole(data).splitlines(), start=1):
        row = _row(line, f"{where}: line {number}")
        try:
            if number == 1:
                head = _head(row)
            elif row.get("kind") == KIND:
                raise InputError(
                    f"{where}: line {number}: is a second head: two recordings were joined; keep "
                    "each in a file of its own"
                )
            elif "request" in row:
                asked = _request(row["request"])
                _once(requests, (asked.strategy, asked.case), asked, f"{where}: line {number}")
            else:
                given = _answer(row)
                _once(
                    answers,
                    (given.strategy, given.case, given.seed),
                    given,
                    f"{where}: line {number}",
                )
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(
                f"{where}: line {number}: is no line of a recording ({_fault(error)}); record "
                "again into another file"
            ) from None
    if head is None:
        raise InputError(f"{where}: holds no recording; make one with `palimpsest answers record`")
    return Recording(head=head, requests=requests, answers=tuple(answers.values()))


def _once(kept: dict[Key, Row], key: Key, row: Row, where: str) -> None:
    """Keep a row; raises InputError where its like is there, for it would be graded twice."""
    if key in kept:
        what = "request" if isinstance(row, AskedRequest) else "answer to one request and seed"
        raise InputError(f"{where}: the same {what} stands twice: {key!r}; keep one of the two")
    kept[key] = row


def _fault(error: Exception) -> str:
    return f"it lacks {error.args[0]!r}" if isinstance(error, KeyError) else str(error)


class Journal:
    """A recording that is open for more; what it held before is in ``recording``."""

    def __init__(self, path: Path, recording: Recording, handle: int) -> None:
        self.path = path
        self.recording = recording
        self._handle = handle

    def add_request(self, asked: AskedRequest) -> None:
        """Append a request."""
        self._add({"request": dataclasses.asdict(asked)})

    def add_answer(self, given: GivenAnswer) -> None:
        """Append an answer, on the disk when this returns."""
        self._add(dataclasses.asdict(given))

    def _add(self, row: Mapping[str, Any]) -> None:
        _append(self._handle, row, self.path)


@contextmanager
def journal(path: Path, head: Head) -> Iterator[Journal]:
    """Open a recording to append to, alone; a new file begins with ``head``.

    Raises InputError where the file is of another suite, setting, tokenizer or model.
    """
    if not path.parent.is_dir():
        raise InputError(f"{path}: cannot be written (there is no folder {path.parent})")
    lock = filelock.FileLock(path.with_name(f".{path.name}.lock"))
    try:
        lock.acquire(timeout=0)
    except filelock.Timeout:
        raise InputError(f"{path}: another process is recording into it; wait for it") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from None
    try:
        handle = _opened(path)
        try:
            yield Journal(path, _begun(path, head, handle), handle)
        finally:
            os.close(handle)
    finally:
        lock.release()
        Path(lock.lock_file).unlink(missing_ok=True)


def _opened(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from None


def _begun(path: Path, head: Head, handle: int) -> Recording:
    data = _bytes(path)
    whole = _whole(data)
    if not whole:
        os.ftruncate(handle, 0)
        _append(handle, _head_row(head), path)
        return Recording(head=head)
    found = parse(whole, str(path))
    assert found.head is not None, "parse refuses a file without a head"
    _compare(found.head, head, path)
    os.ftruncate(handle, len(whole))
    return found


def _compare(found: Head, wanted: Head, path: Path) -> None:
    for key in ("suite", "suite_hash", "config", "tokenizer_fingerprint", "model", "sampling"):
        before, now = getattr(found, key), getattr(wanted, key)
        if before != now:
            raise InputError(
                f"{path}: was recorded with another {key.replace('_', ' ')} ({_short(before)}, "
                f"now {_short(now)}); name another file with --out"
            )


def _short(value: object) -> str:
    return value if isinstance(value, str) else canonical(dataclasses.asdict(value))  # type: ignore[call-overload]


def _append(handle: int, row: Mapping[str, Any], path: Path) -> None:
    line = canonical(row).encode("utf-8", "surrogatepass").decode("utf-8", "replace").encode()
    try:
        if os.write(handle, line + b"\n") != len(line) + 1:
            raise OSError(None, "the disk is full")
        os.fsync(handle)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from None


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None


def _whole(data: bytes) -> bytes:
    return data[: data.rfind(b"\n") + 1]


def _row(line: bytes, where: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except ValueError:
        row = None
    if not isinstance(row, dict):
        raise InputError(f"{where}: is not a JSON object")
    return row


def _head_row(head: Head) -> dict[str, Any]:
    return {"schema": SCHEMA, "kind": KIND, **dataclasses.asdict(head)}


def _head(row: dict[str, Any]) -> Head:
    if row.pop("kind", None) != KIND or row.pop("schema", None) != SCHEMA:
        raise ValueError(f"the first line is not a head of schema {SCHEMA}")
    model = row.pop("model")
    return Head(
        model=ModelIdentity(**{**model, "unsent": tuple(model["unsent"])}),
        sampling=Sampling(**row.pop("sampling")),
        markers=tuple(row.pop("markers")),
        **row,
    )


def _request(row: dict[str, Any]) -> AskedRequest:
    messages, tools = row.pop("messages"), row.pop("tools")
    if hash_of(messages, tools) != row["hash"]:
        raise ValueError("a request was altered: its hash is another")
    return AskedRequest(messages=tuple(messages), tools=tuple(tools), **row)


def _answer(row: dict[str, Any]) -> GivenAnswer:
    return GivenAnswer(**{**row, "tool_calls": tuple(row["tool_calls"])})
