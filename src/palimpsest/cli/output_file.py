"""Writes a text to a file in one step, or to standard output.

The place is tried before the work starts, and a file appears whole or not at all: an
interrupted run leaves the earlier file as it was.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from palimpsest.errors import InputError

STDOUT = "-"
WriteText = Callable[[str], None]


@contextmanager
def text_output(target: str | None, option: str) -> Iterator[WriteText]:
    """Give a function that writes one text; ``None`` writes nothing.

    ``option`` (``--markdown``, say) opens every error text.
    """
    if target is None:
        yield lambda _: None
    elif target == STDOUT:
        # What we write is UTF-8, whatever the terminal speaks.
        yield lambda text: click.echo(text.encode(), nl=False)
    else:
        with _file(Path(target), option) as write:
            yield write


@contextmanager
def _file(path: Path, option: str) -> Iterator[WriteText]:
    place = path.resolve()
    if place.is_dir():
        raise InputError(f"{option} {path}: is a directory; give the path of a file")
    if place.exists() and not place.is_file():
        # A device or a pipe cannot be replaced; it is written as it stands.
        yield lambda text: _put(f"{option} {path}", place, text)
        return
    draft = place.with_name(f".{place.name}.{os.getpid()}.part")
    try:
        draft.touch(exist_ok=False)
        if place.exists():
            with place.open("r+b"):
                shutil.copymode(place, draft)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise InputError(f"{option} {path}: cannot be written ({error.strerror})") from None
    try:
        yield lambda text: _replace(f"{option} {path}", draft, place, text)
    finally:
        draft.unlink(missing_ok=True)


def _replace(where: str, draft: Path, place: Path, text: str) -> None:
    _put(where, draft, text)
    draft.replace(place)


def _put(where: str, place: Path, text: str) -> None:
    try:
        place.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{where}: cannot be written ({error.strerror})") from None
