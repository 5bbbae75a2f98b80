"""The memories that a conversation can see, as columns: what selection reads instead of rows.

Invariant: the columns are of one length and run from the lowest id to the highest, so that
equal memories give equal columns whatever order they came in. They hold no texts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from palimpsest.types import KINDS, Memory

ENDLESS = float("inf")
UNTOLD = 1.0
"""The confidence of a memory that was given without one: nobody guessed it."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Columns:
    """One place a memory, by id; replaced memories are among them."""

    ids: NDArray[np.int64]
    kinds: NDArray[np.int8]
    """Places in ``KINDS``."""
    current: NDArray[np.bool_]
    pinned: NDArray[np.bool_]
    reaching: NDArray[np.bool_]
    """True for a global memory."""
    confidence: NDArray[np.float64]
    ends: NDArray[np.float64]
    """Seconds since 1970, exclusive; ``ENDLESS`` while no end was said."""

    def __len__(self) -> int:
        return len(self.ids)


def columns(memories: Iterable[Memory]) -> Columns:
    """The columns of a list of memories in any order."""
    rows = sorted(memories, key=lambda memory: memory.id)
    return Columns(
        ids=np.array([row.id for row in rows], dtype=np.int64),
        kinds=np.array([KINDS.index(row.kind) for row in rows], dtype=np.int8),
        current=np.array([row.superseded_by is None for row in rows], dtype=np.bool_),
        pinned=np.array([row.pinned for row in rows], dtype=np.bool_),
        reaching=np.array([row.reach == "global" for row in rows], dtype=np.bool_),
        confidence=np.array(
            [UNTOLD if row.confidence is None else row.confidence for row in rows],
            dtype=np.float64,
        ),
        ends=np.array([seconds(row.valid_until) for row in rows], dtype=np.float64),
    )


def joined(old: Columns, new: Columns) -> Columns:
    """Columns of both; every id of ``new`` is above those of ``old``."""
    if not len(new):
        return old
    return Columns(
        **{name: np.concatenate((getattr(old, name), getattr(new, name))) for name in _NAMES}
    )


_NAMES = tuple(field.name for field in fields(Columns))


def seconds(moment: str | None) -> float:
    """An ISO 8601 text as seconds since 1970; one without an offset is UTC, none is endless."""
    if not moment:
        return ENDLESS
    try:
        found = datetime.fromisoformat(moment)
    except ValueError:
        # Nothing is left out for an end that nobody can read.
        return ENDLESS
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()


def ended(memory: Memory, now: str) -> bool:
    """True for a memory whose validity is over at ``now`` (ISO 8601); without one, never."""
    return (
        bool(now)
        and memory.valid_until is not None
        and (seconds(memory.valid_until) <= seconds(now))
    )
