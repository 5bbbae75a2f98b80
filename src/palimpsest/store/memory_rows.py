"""How a row of the memories becomes a record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from palimpsest.types import Memory, Scope

COLUMNS = (
    "id, text, source, attribute, value, turn, created_at, superseded_by, superseded_at, seen, "
    "kind, reach, pinned, hedged, guessed, confidence, valid_from, valid_until"
)


def memory_of(scope: Scope, row: Sequence[Any]) -> Memory:
    """The memory of a row that has ``COLUMNS``."""
    id, text, source, attribute, value, turn, created, by, at, seen = row[:10]
    kind, reach, pinned, hedged, guessed, confidence, begins, ends = row[10:]
    return Memory(
        id=id, scope=scope, text=text, source=source, attribute=attribute, value=value,
        turn=turn, created_at=created, superseded_by=by, superseded_at=at, seen=seen, kind=kind,
        reach=reach, pinned=bool(pinned), hedged=bool(hedged), guessed=bool(guessed),
        confidence=confidence, valid_from=begins, valid_until=ends,
    )  # fmt: skip
