"""A hash of this package's own source: which code made a result.

Versions change seldom and code often, so a baseline names both. Plug-ins are not in it.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

import palimpsest


@cache
def source_hash() -> str:
    """``sha256:`` over the path and bytes of every Python file of the package, sorted."""
    root = Path(palimpsest.__file__).parent
    found = hashlib.sha256()
    for path in sorted(root.rglob("*.py"), key=lambda path: path.relative_to(root).as_posix()):
        data = path.read_bytes()
        found.update(f"{path.relative_to(root).as_posix()}\0{len(data)}\0".encode())
        found.update(data)
    return "sha256:" + found.hexdigest()
