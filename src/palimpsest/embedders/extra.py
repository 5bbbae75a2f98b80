"""An embedder's library is an extra: looked for before it is imported, named where missing."""

from __future__ import annotations

from importlib.util import find_spec

from palimpsest.errors import NotPrepared


def require(package: str, *, embedder: str, extra: str) -> None:
    """Raise NotPrepared with the line that installs ``package``, unless it is there."""
    if find_spec(package) is None:
        raise NotPrepared(
            f"the embedder {embedder!r} needs {package}; install the extra: "
            f"pip install 'palimpsest-memory[{extra}]'"
        )
