"""Reads a JSON file that a person wrote; every fault names the file and the place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from palimpsest.errors import InputError


def bytes_of(path: Path, what: str) -> bytes:
    """The bytes of a file that should be ``what``; raises InputError."""
    try:
        return path.read_bytes()
    except IsADirectoryError:
        raise InputError(f"{path}: is a directory; give the path of a {what}") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None


def text_of(path: Path, what: str) -> str:
    """The text of a file that should be ``what``; raises InputError."""
    return decoded(bytes_of(path, what), path, what)


def decoded(data: bytes, path: Path, what: str) -> str:
    """The bytes of a file as text; raises InputError."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path}: is not UTF-8 text (byte {error.start}), so it is no {what}"
        ) from None


def name_of(path: Path) -> str:
    """The name of a file without its ending, as text."""
    # A file name may hold bytes that are no text, and a report is text.
    return path.stem.encode("utf-8", "backslashreplace").decode()


def json_of(text: str, where: str, what: str) -> Any:
    """Parse strict JSON; raises InputError, also for a key that stands twice."""
    try:
        return json.loads(text, object_pairs_hook=_no_twins, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise InputError(
            f"{where}: is not valid JSON at line {error.lineno}, column {error.colno}: {error.msg}"
        ) from None
    except RecursionError:
        raise InputError(f"{where}: is nested too deeply for a {what}") from None
    except ValueError as error:
        raise InputError(f"{where}: {error}") from None


def _no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        seen: set[str] = set()
        twin = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise ValueError(f"the key {twin!r} stands twice in one object")
    return made


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")
