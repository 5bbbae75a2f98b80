"""The fates of very many memories as columns; an entry is made when it is asked for.

Invariant: the runs go from the lowest id to the highest and do not overlap. A memory that
was considered by itself has a run of its own, so its tokens are never those of a neighbour.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from palimpsest.ledger import Ledger, MemoryEntry, MemoryReason

RECALLED: tuple[MemoryReason, ...] = ("semantic", "lexical")
"""The reasons of a memory that the question brought back."""
SEATED: frozenset[MemoryReason] = frozenset(
    {"seated", "rule", "pinned", "global", "semantic", "lexical", "quota", "catch-up"}
)
"""The reasons of memories whose lines are in the request."""


class MemoryRuns(Sequence[MemoryEntry]):
    """A sequence of entries over columns; equal to any sequence of the same entries."""

    __slots__ = ("_codes", "_first", "_last", "_reasons", "_tokens")

    def __init__(
        self,
        first: Sequence[int],
        last: Sequence[int],
        codes: Sequence[int],
        reasons: Sequence[MemoryReason],
        tokens: Mapping[int, int],
    ) -> None:
        self._first, self._last, self._codes = first, last, codes
        self._reasons = tuple(reasons)
        self._tokens = dict(tokens)

    @overload
    def __getitem__(self, place: int) -> MemoryEntry: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[MemoryEntry, ...]: ...
    def __getitem__(self, place: int | slice) -> MemoryEntry | tuple[MemoryEntry, ...]:
        if isinstance(place, slice):
            return tuple(self._entry(at) for at in range(*place.indices(len(self))))
        if not -len(self) <= place < len(self):
            raise IndexError(place)
        return self._entry(place % len(self))

    def __len__(self) -> int:
        return len(self._first)

    def __iter__(self) -> Iterator[MemoryEntry]:
        return (self._entry(place) for place in range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or len(self) != len(other):
            return False
        return all(mine == theirs for mine, theirs in zip(self, other, strict=True))

    def __hash__(self) -> int:
        return hash((tuple(self._first), tuple(self._last)))

    def __repr__(self) -> str:
        return f"MemoryRuns({len(self)} runs)"

    def with_reason(self, ids: Iterable[int], reason: MemoryReason) -> MemoryRuns:
        """The same with another reason for memories that have runs of their own."""
        codes = list(self._codes)
        for id in ids:
            place = bisect_right(self._first, id) - 1
            assert self._first[place] == id == self._last[place], f"{id} is in a run of many"
            codes[place] = self._reasons.index(reason)
        return MemoryRuns(self._first, self._last, codes, self._reasons, self._tokens)

    def seated(self) -> tuple[MemoryEntry, ...]:
        """The entries of memories that are in the request, by id."""
        inside = {place for place, reason in enumerate(self._reasons) if reason in SEATED}
        return tuple(self._entry(at) for at, code in enumerate(self._codes) if code in inside)

    def columns(self) -> dict[str, Any]:
        """The runs as plain lists for JSON; a reason is its place in ``reasons``."""
        steps = np.diff(np.asarray(self._first, dtype=np.int64), prepend=0).tolist()
        lengths = [last - first for first, last in zip(self._first, self._last, strict=True)]
        return {
            "steps": steps, "lengths": lengths, "codes": list(self._codes),
            "reasons": list(self._reasons),
            "tokens": {str(id): tokens for id, tokens in self._tokens.items()},
        }  # fmt: skip

    def _entry(self, place: int) -> MemoryEntry:
        first, reason = self._first[place], self._reasons[self._codes[place]]
        return MemoryEntry(
            first=first, last=self._last[place], seated=reason in SEATED, reason=reason,
            tokens=self._tokens.get(first),
        )  # fmt: skip


def seated(ledger: Ledger) -> tuple[MemoryEntry, ...]:
    """The entries of memories whose lines are in a request, by id."""
    memories = ledger.memories
    if isinstance(memories, MemoryRuns):
        return memories.seated()
    return tuple(entry for entry in memories if entry.seated)


def from_columns(found: Mapping[str, Any]) -> MemoryRuns:
    """Read what ``MemoryRuns.columns`` gave."""
    first = np.cumsum(np.array(found["steps"], dtype=np.int64))
    last = (first + np.array(found["lengths"], dtype=np.int64)).tolist()
    tokens = {int(id): tokens for id, tokens in found["tokens"].items()}
    return MemoryRuns(first.tolist(), last, found["codes"], found["reasons"], tokens)


def runs(
    ids: NDArray[np.int64],
    codes: NDArray[np.int8],
    reasons: Sequence[MemoryReason],
    *,
    alone: Iterable[int],
    tokens: Mapping[int, int],
) -> MemoryRuns:
    """Runs over ascending ``ids`` with one code each; the ids ``alone`` have their own."""
    if not len(ids):
        return MemoryRuns((), (), (), reasons, {})
    single = np.zeros(len(ids), dtype=np.bool_)
    single[np.searchsorted(ids, np.fromiter(alone, dtype=np.int64))] = True
    cut = (codes[1:] != codes[:-1]) | single[1:] | single[:-1]
    starts = np.concatenate(([0], np.flatnonzero(cut) + 1))
    ends = np.concatenate((starts[1:] - 1, [len(ids) - 1]))
    return MemoryRuns(
        ids[starts].tolist(), ids[ends].tolist(), codes[starts].tolist(), reasons, tokens
    )
