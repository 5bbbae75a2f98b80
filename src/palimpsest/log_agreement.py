"""How far a history that comes in agrees with a stored one.

Each message is recognised by its place and its words, whatever a forget took out of it since.
Invariant: stored turns are read from the oldest and only as far as both agree.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from palimpsest import write
from palimpsest.store.store import Store
from palimpsest.types import Scope, Turn

_CHUNK = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """What a given history is beside a stored one."""

    fate: Literal["known", "grown", "other"]
    shared: int
    """How many whole turns both begin with."""
    longer: int = 0
    """Messages that are stored of the next turn, where only its end is new."""


def agreement(store: Store, place: Scope, given: Sequence[Turn]) -> Agreement:
    """Compare a history, from its first turn, with what a conversation holds."""
    shared, last = 0, store.turns.last(place)
    for stored in _stored(store, place, last):
        if shared == len(given):
            break
        both = _alike(store, place, stored, given[shared])
        theirs, ours = len(given[shared].messages), len(stored.messages)
        if both < min(theirs, ours):
            return Agreement(fate="other", shared=shared)
        if theirs < ours:
            known = shared == len(given) - 1
            return Agreement(fate="known" if known else "other", shared=shared)
        if theirs > ours:
            grown = stored.number == last
            return Agreement(fate="grown" if grown else "other", shared=shared, longer=ours)
        shared += 1
    return Agreement(fate="known" if shared == len(given) else "grown", shared=shared)


def _stored(store: Store, place: Scope, last: int) -> Iterator[Turn]:
    for first in range(1, last + 1, _CHUNK):
        yield from store.turns.between(place, first, first + _CHUNK - 1)


def _alike(store: Store, place: Scope, stored: Turn, given: Turn) -> int:
    """How many messages both turns begin with."""
    if stored.messages == given.messages:
        return len(stored.messages)
    alike = 0
    for index, message in enumerate(given.messages[: len(stored.messages)]):
        if not write.is_said(stored, index, message, lambda turn: store.redactions.of(place, turn)):
            break
        alike += 1
    return alike
