"""The table of the API. Its order is a story: the examples, played in it, find what they name."""

from __future__ import annotations

from palimpsest.web.api import building, deciding, keeping, remembering, talking
from palimpsest.web.api.operation import Operation

START = "/api/v1"
OPERATIONS: tuple[Operation, ...] = (
    *talking.OPERATIONS,
    *remembering.OPERATIONS,
    *building.OPERATIONS,
    *deciding.OPERATIONS,
    *keeping.OPERATIONS,
)
UPLOADS = frozenset(f"{START}{row.path}" for row in OPERATIONS if row.body == "file")
"""Paths whose body may be as large as a file."""
