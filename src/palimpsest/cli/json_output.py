"""Writes a JSON result to a file in one step, or to standard output.

The place is tried before the work starts, and a file appears whole or not at all: an
interrupted run leaves the earlier file as it was.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from palimpsest.errors import InputError

STDOUT = "-"
Write = Callable[[Mapping[str, Any]], None]


@contextmanager
def json_output(target: str | None) -> Iterator[Write]:
    """Give a function that writes one JSON value; ``None`` writes nothing."""
    if target is None:
        yield lambda _: None
    elif target == STDOUT:
        # JSON is UTF-8, whatever the terminal speaks.
        yield lambda data: click.echo(_text(data).encode(), nl=False)
    else:
        with _file(Path(target)) as write:
            yield write


@contextmanager
def _file(path: Path) -> Iterator[Write]:
    place = path.resolve()
    if place.is_dir():
        raise InputError(f"--json {path}: is a directory; give the path of a file")
    if place.exists() and not place.is_file():
        # A device or a pipe cannot be replaced; it is written as it stands.
        yield lambda data: _put(path, place, data)
        return
    draft = place.with_name(f".{place.name}.{os.getpid()}.part")
    try:
        draft.touch(exist_ok=False)
        if place.exists():
            with place.open("r+b"):
                shutil.copymode(place, draft)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise InputError(f"--json {path}: cannot be written ({error.strerror})") from None
    try:
        yield lambda data: _replace(path, draft, place, data)
    finally:
        draft.unlink(missing_ok=True)


def _replace(path: Path, draft: Path, place: Path, data: Mapping[str, Any]) -> None:
    _put(path, draft, data)
    draft.replace(place)


def _put(path: Path, place: Path, data: Mapping[str, Any]) -> None:
    try:
        place.write_text(_text(data), encoding="utf-8")
    except OSError as error:
        raise InputError(f"--json {path}: cannot be written ({error.strerror})") from None


def _text(data: Mapping[str, Any]) -> str:
    return json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
