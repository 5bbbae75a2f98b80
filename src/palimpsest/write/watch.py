"""What new turns are checked against: the superseded statements of a scope.

Invariant: what ``of`` returns is what the store holds, since it is kept under a number that
every retirement changes to one never used before (a rollback cannot bring one back). Appending a turn reads that number and no memory row.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from palimpsest.language.occurrences import Needles, folded
from palimpsest.language.retold import Retold
from palimpsest.types import Memory, Redaction, Scope, Turn
from palimpsest.write.parts import WriteStore
from palimpsest.write.redaction import (
    all_retired,
    merged,
    plan,
    retired,
    statements,
    texts,
    told_by,
)

_SCOPES = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """The superseded statements of a scope at one number of retirements."""

    number: int
    memories: tuple[Memory, ...]
    needles: Needles
    told: Retold
    """Those without a value."""

    def may_repeat(self, text: str) -> bool:
        """False where a text repeats none of them, also none that is current again."""
        return bool(self.needles.spans(folded(text)) or self.told.spans(text, "others"))


class Watch:
    """Keeps the superseded statements of the scopes of one store that were written to last."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Scope, Watched] = OrderedDict()

    def of(self, store: WriteStore, scope: Scope) -> Watched:
        """The superseded statements of a scope; inside a transaction."""
        number = store.conversations.retirements(scope)
        found = self._kept.get(scope)
        if found is None or found.number != number:
            memories = store.memories.superseded(scope) if number else ()
            items = [retired(memory, until=0) for memory in memories]
            needles = Needles(needle for item in items for needle in item.needles)
            found = Watched(
                number=number, memories=memories, needles=needles, told=told_by(items, ())
            )
        self._kept[scope] = found
        self._kept.move_to_end(scope)
        while len(self._kept) > _SCOPES:
            self._kept.popitem(last=False)
        return found

    def check(self, store: WriteStore, scope: Scope, turn: Turn) -> None:
        """Redact a new turn where others than its user repeat a replaced statement."""
        if store.policy != "managed":
            return
        watched = self.of(store, scope)
        if not any(
            watched.may_repeat(said.text) for _, _, said in texts(turn) if said.role != "user"
        ):
            return
        spans = _spans(store, scope, turn, watched)
        if spans:
            old = store.redactions.of(scope, turn.number)
            store.redactions.put(scope, turn.number, merged(old, spans))


def _spans(store: WriteStore, scope: Scope, turn: Turn, watched: Watched) -> tuple[Redaction, ...]:
    current = store.memories.current(scope)
    gone = [item.unstated() for item in all_retired(watched.memories, current, until=0)]
    told = watched.told.among(memory.text for memory in current)
    return plan(turn, gone, lambda: statements(current), "corrected", told)
