"""A hash of the source that a run's strategies are made of.

A strategy of this package is made of the ``context`` and ``language`` packages; any other
of the Python files of the package that holds its class, or of its one file. A change to a
rule, to its stop words or to its notes changes the hash; a version need not change for it.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Iterable
from pathlib import Path

import palimpsest
from palimpsest.protocols import Strategy

_OURS = ("context", "language")


def strategies_sha256(strategies: Iterable[Strategy]) -> str | None:
    """One hash over the source files of the strategies, in hex; ``None`` without any file."""
    files = sorted({file for strategy in strategies for file in _files(strategy)})
    if not files:
        return None
    found = hashlib.sha256()
    for name, path in files:
        found.update(f"{name}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return found.hexdigest()


def _files(strategy: Strategy) -> list[tuple[str, Path]]:
    """The source files of a strategy, each under a name that is the same on every machine."""
    root = Path(palimpsest.__file__).parent
    try:
        place = Path(inspect.getfile(type(strategy)))
    except (TypeError, OSError):
        return []
    if place.is_relative_to(root):
        ours = (path for part in _OURS for path in (root / part).rglob("*.py"))
        return [(path.relative_to(root).as_posix(), path) for path in ours]
    if not place.is_file():
        return []
    if (place.parent / "__init__.py").is_file():
        folder = place.parent
        return [(path.relative_to(folder.parent).as_posix(), path) for path in folder.rglob("*.py")]
    return [(place.name, place)]
