"""Opens a text in a person's editor until it can be read, and never loses it.

Like ``crontab -e``: a mistake is told with its line and the same text is opened again.
Invariant: whatever was typed is in the file that the last message names, or was taken.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import click

from palimpsest.errors import InputError
from palimpsest.language.invisible import shown

_DEFAULT = "vi"


def edited(text: str, take: Callable[[str], None], *, suffix: str = ".txt") -> None:
    """Open ``text`` and give what comes back to ``take``, which raises InputError for a mistake."""
    handle, name = tempfile.mkstemp(suffix=suffix, prefix="palimpsest-")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    place = Path(name)
    while True:
        try:
            failure = _opened(place)
            if not failure:
                take(_read(place))
        except InputError as error:
            click.echo(f"mistake: {shown(str(error))}", err=True)
            if not _again(place):
                raise InputError(_kept(place)) from None
            continue
        except BaseException:
            click.echo(_kept(place), err=True)
            raise
        if failure:
            raise InputError(f"{failure}. {_kept(place)}")
        place.unlink(missing_ok=True)
        return


def _opened(place: Path) -> str:
    """Wait for the editor; gives why it did not end well, where it did not."""
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or _DEFAULT
    try:
        status = subprocess.run([*shlex.split(command), str(place)], check=False).returncode
    except (OSError, ValueError) as error:
        told = getattr(error, "strerror", None) or error
        return f"the editor {command!r} cannot be started ({told}); set EDITOR"
    return f"the editor {command!r} ended with status {status}" if status else ""


def _read(place: Path) -> str:
    try:
        return place.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"is not UTF-8 text (byte {error.start})") from None
    except OSError as error:
        raise InputError(f"{place}: cannot be read ({error.strerror})") from None


def _again(place: Path) -> bool:
    if not sys.stdin.isatty():
        return False
    try:
        return click.confirm("Edit the same text again?", default=True, err=True)
    except (click.Abort, KeyboardInterrupt):
        click.echo(_kept(place), err=True)
        raise


def _kept(place: Path) -> str:
    return f"the text is kept in {place}; take it up again with --sheet {place}"
