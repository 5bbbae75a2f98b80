"""A baseline file that several tests share: each reads and renews the suite of its own.

Invariant: renewing one suite leaves the others in the file as they were, also where several
processes renew at once; the file appears whole or not at all.
"""

from __future__ import annotations

import dataclasses
import hashlib
import os
import tempfile
from pathlib import Path

import filelock

from palimpsest.bench.baseline import Baseline, dumps, load
from palimpsest.errors import InputError, NotFound

_BLESS = "write it with `pytest --palimpsest-bless` on this test"


def blessed_at(place: Path, suite: str) -> Baseline:
    """The record of one suite; raises NotFound and InputError with the command to run."""
    if not place.exists():
        raise NotFound(f"{place}: there is no baseline; {_BLESS}")
    whole = load(place)
    own = tuple(one for one in whole.suites if one.name == suite)
    if not own:
        known = ", ".join(repr(one.name) for one in whole.suites) or "none"
        raise NotFound(f"{place}: holds no record of the suite {suite!r} but {known}; {_BLESS}")
    return dataclasses.replace(whole, suites=own)


def renewed(place: Path, fresh: Baseline) -> None:
    """Put the suite of ``fresh`` into the file, beside those that it holds of other suites."""
    if not place.parent.is_dir():
        raise InputError(f"{place}: cannot be written (there is no folder {place.parent})")
    # Beside the file it would be one more file to commit or to ignore.
    own = hashlib.sha256(str(place.resolve()).encode()).hexdigest()[:16]
    lock = filelock.FileLock(Path(tempfile.gettempdir()) / f"palimpsest-bless-{own}.lock")
    try:
        with lock:
            draft = place.with_name(f".{place.name}.{os.getpid()}.part")
            draft.write_text(dumps(_merged(place, fresh)), encoding="utf-8")
            draft.replace(place)
    except OSError as error:
        raise InputError(f"{place}: cannot be written ({error.strerror})") from None


def _merged(place: Path, fresh: Baseline) -> Baseline:
    try:
        earlier = load(place)
    except (InputError, NotFound):
        return fresh
    renews = {one.name for one in fresh.suites}
    others = tuple(one for one in earlier.suites if one.name not in renews)
    named = tuple(dict.fromkeys((*earlier.ran.suites, *fresh.ran.suites)))
    same_way = dataclasses.replace(earlier.ran, suites=()) == dataclasses.replace(
        fresh.ran, suites=()
    )
    if others and not same_way:
        raise InputError(
            f"{place}: holds other suites that were run with other strategies or settings; give "
            "this one a baseline of its own"
        )
    return dataclasses.replace(
        fresh,
        ran=dataclasses.replace(fresh.ran, suites=named),
        suites=(*others, *fresh.suites),
    )
