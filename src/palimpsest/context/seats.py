"""Who sits in the request: a pure function from columns and scores to seats with reasons.

Six passes fill ``limit`` seats: a reserve is held back for what is global or was recalled,
then pinned, global, recalled, a quota by kind, and whoever ranks next. Rules sit outside.
Invariants: never more seats than ``limit``; every memory has one reason; the result does
not depend on the order in which memories or scores came.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from palimpsest.candidates import Columns, seconds
from palimpsest.ledger import MemoryReason, Recall
from palimpsest.settings import SeatsSettings
from palimpsest.types import KINDS

REASONS: tuple[MemoryReason, ...] = (
    "no-seat", "superseded", "ended", "forget-pending", "rule", "pinned", "global", "semantic", "lexical", "quota",
    "catch-up",
)  # fmt: skip
_CODE = {reason: code for code, reason in enumerate(REASONS)}
_RULE = KINDS.index("rule")
_CONFIDENCE_STEPS = 1_000_000
_PLACE_BITS = 36
_EVEN = 60
"""How even the first ranks of two rankings count beside each other (``measure recall``)."""

Places = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Selection:
    """The seats in the order of the passes, and the fate of every memory."""

    rules: tuple[int, ...]
    """Ids, oldest first: always present, never competing."""
    seats: tuple[tuple[int, MemoryReason], ...]
    """Ids with their reasons, the first pass first."""
    ids: NDArray[np.int64]
    codes: NDArray[np.int8]
    """For each id its place in ``REASONS``."""
    recalled: Places
    """The ids of what the question brings back, the nearest first, seated or not; no rules."""

    def reason(self, id: int) -> MemoryReason | None:
        """Why a memory sits or does not; ``None`` for one that is not among the candidates."""
        place = int(np.searchsorted(self.ids, id))
        if place >= len(self.ids) or self.ids[place] != id:
            return None
        return REASONS[int(self.codes[place])]

    def counts(self) -> Mapping[MemoryReason, int]:
        """How many memories have each reason that occurs."""
        found = np.bincount(self.codes, minlength=len(REASONS))
        return {reason: int(n) for reason, n in zip(REASONS, found, strict=True) if n}


@dataclass(slots=True, kw_only=True, eq=False)
class _Plan:
    """The seats given so far, over the candidates that may still get one."""

    rank: NDArray[np.int64]
    codes: NDArray[np.int8]
    free: Mask
    limit: int
    given: list[tuple[int, MemoryReason]] = field(default_factory=list)

    @property
    def left(self) -> int:
        return self.limit - len(self.given)

    def add(self, places: Places, why: MemoryReason | Sequence[MemoryReason]) -> None:
        reasons = [why] * len(places) if isinstance(why, str) else why
        for place, reason in zip(places[: self.left].tolist(), reasons, strict=False):
            self.given.append((place, reason))
            self.codes[place] = _CODE[reason]
            self.free[place] = False

    def best(self, among: Mask, seats: int) -> Places:
        """The first ``seats`` in rank order of those that are free."""
        places = np.flatnonzero(among & self.free)
        return _first(places, self.rank[places], min(seats, self.left))


def select(
    candidates: Columns, recall: Recall, settings: SeatsSettings, now: str = "",
    withheld: Collection[int] = (),
) -> Selection:  # fmt: skip
    """Give the seats for one question; ``now`` (ISO 8601) ends what was valid until then.

    What is ``withheld`` (by id) gets none, whatever it is.
    """
    codes = np.full(len(candidates), _CODE["no-seat"], dtype=np.int8)
    codes[~candidates.current] = _CODE["superseded"]
    if now:
        codes[candidates.current & (candidates.ends <= seconds(now))] = _CODE["ended"]
    if withheld:
        codes[np.isin(candidates.ids, list(withheld)) & candidates.current] = _CODE[
            "forget-pending"
        ]
    standing = codes == _CODE["no-seat"]
    rules = standing & (candidates.kinds == _RULE)
    codes[rules] = _CODE["rule"]
    plan = _Plan(rank=_rank(candidates), codes=codes, free=standing & ~rules, limit=settings.limit)
    recalled = _recalled(plan, candidates, recall)
    _passes(plan, candidates, recalled, settings)
    ids = candidates.ids
    return Selection(
        rules=tuple(ids[rules].tolist()),
        seats=tuple((int(ids[place]), reason) for place, reason in plan.given),
        ids=ids, codes=codes, recalled=ids[recalled.places],
    )  # fmt: skip


def _passes(plan: _Plan, candidates: Columns, recalled: _Recalled, settings: SeatsSettings) -> None:
    share = max(1, round(settings.limit * settings.share))
    reaching = candidates.reaching & ~candidates.pinned
    reserve = min(share, _reachable(plan, reaching, candidates, recalled.places, share, settings))
    plan.add(plan.best(candidates.pinned, max(0, settings.limit - reserve)), "pinned")
    plan.add(plan.best(reaching, share), "global")
    free = np.flatnonzero(plan.free[recalled.places])[: settings.semantic]
    plan.add(recalled.places[free], np.where(recalled.meant[free], "semantic", "lexical").tolist())
    for kind, seats in zip(KINDS, _quotas(settings), strict=False):
        plan.add(plan.best(candidates.kinds == KINDS.index(kind), seats), "quota")
    plan.add(plan.best(plan.free, plan.left), "catch-up")


def _reachable(
    plan: _Plan, reaching: Mask, candidates: Columns, recalled: Places, share: int,
    settings: SeatsSettings,
) -> int:  # fmt: skip
    """How many seats the global and the recalled pass could really fill.

    Pinned memories have a pass of their own, so no seat is held back for them.
    """
    only = ~candidates.reaching[recalled] & ~candidates.pinned[recalled]
    lasting = int(np.count_nonzero(reaching & plan.free))
    return min(share, lasting) + min(settings.semantic, int(np.count_nonzero(only)))


def _quotas(settings: SeatsSettings) -> tuple[int, ...]:
    return (settings.facts, settings.preferences, settings.promises, settings.episodes)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Recalled:
    """What the question brings back."""

    places: Places
    """The nearest first."""
    meant: Mask
    """For each of them whether it was found by meaning; the others share a word."""


def _recalled(plan: _Plan, candidates: Columns, recall: Recall) -> _Recalled:
    """Both rankings in one: each place counts 1 / (60 + its rank) in each (reciprocal ranks).

    What stands high by meaning and by words comes first. Where there are no scores by meaning,
    no embedder or one that failed, words alone give the order.
    """
    meant = _nearest(plan, candidates, recall.semantic)
    worded = _nearest(plan, candidates, recall.lexical)
    worth = np.zeros(len(candidates))
    for places in (meant, worded):
        worth[places] += 1.0 / np.arange(_EVEN + 1, _EVEN + 1 + len(places))
    found = np.flatnonzero(worth)
    places = found[np.lexsort((plan.rank[found], -worth[found]))]
    by_meaning = np.zeros(len(candidates), dtype=np.bool_)
    by_meaning[meant] = True
    return _Recalled(places=places, meant=by_meaning[places])


def _nearest(plan: _Plan, candidates: Columns, scores: Mapping[int, float]) -> Places:
    """The places of the memories that are scored and may sit, the highest score first."""
    if not scores or not len(candidates):
        return np.empty(0, dtype=np.int64)
    ids = np.fromiter(scores.keys(), dtype=np.int64, count=len(scores))
    values = np.fromiter(scores.values(), dtype=np.float64, count=len(scores))
    places = np.searchsorted(candidates.ids, ids)
    known = places < len(candidates)
    known[known] = candidates.ids[places[known]] == ids[known]
    known[known] = plan.free[places[known]]
    places, values = places[known], values[known]
    return places[np.lexsort((plan.rank[places], -values))]


def _rank(candidates: Columns) -> NDArray[np.int64]:
    """One number a memory, lower sits first: pinned, this conversation's, kind, confidence,
    recency.

    An absorbed repetition keeps its id, so what is repeated never passes for new.
    """
    size = len(candidates)
    doubt = np.rint((1.0 - np.clip(candidates.confidence, 0.0, 1.0)) * _CONFIDENCE_STEPS)
    rank = (~candidates.pinned).astype(np.int64)
    rank = rank * 2 + candidates.reaching
    rank = rank * len(KINDS) + candidates.kinds
    rank = rank * (_CONFIDENCE_STEPS + 1) + doubt.astype(np.int64)
    return (rank << _PLACE_BITS) + np.arange(size - 1, -1, -1, dtype=np.int64)


def _first(places: Places, rank: NDArray[np.int64], number: int) -> Places:
    """The ``number`` places of the lowest rank, in its order."""
    if number <= 0:
        return places[:0]
    if len(places) > number:
        near = np.argpartition(rank, number - 1)[:number]
        places, rank = places[near], rank[near]
    return places[np.argsort(rank)]
