"""The version of the SQLite library that runs, which a report names."""

from __future__ import annotations

import sqlite3


def sqlite_version() -> str:
    """The version of the linked SQLite library, such as ``3.45.1``."""
    return sqlite3.sqlite_version
