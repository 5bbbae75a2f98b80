"""A framework is an extra: named with the line that installs it, where it is missing."""

from __future__ import annotations

from palimpsest.errors import NotPrepared


def missing(error: ImportError, *, adapter: str, extra: str) -> NotPrepared:
    """What an adapter raises instead of an import that failed."""
    package = str(error.name or error).partition(".")[0]
    return NotPrepared(
        f"the adapter for {adapter} needs {package!r}: pip install 'palimpsest-memory[{extra}]'"
    )
