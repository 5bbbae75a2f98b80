"""How often each memory was a candidate, was served, and was brought back by the question.

Invariant: these are statistics. No request reads them, and dropping them changes no answer.
A request touches the rows of served memories only: what was a candidate is the number of
requests since a memory was born.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from palimpsest.store.conversations import Conversations
from palimpsest.store.database import Database
from palimpsest.types import Scope

_REQUESTS = "counted request"
"""The counter of a user's requests: what a global memory was a candidate of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """How one memory fared in the requests that were counted."""

    id: int
    candidate: int
    served: int
    recalled: int
    """Served because the question brought it back, and not for its rank alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turnout:
    """The requests of a conversation: counted ones, and those built without recall."""

    counted: int
    degraded: int


def corners(counts: Iterable[Count], *, least: int = 1, recalled: bool = False) -> list[Count]:
    """Those that were candidates ``least`` times and never served, most often first.

    With ``recalled``, those that no question ever brought back, served for their rank or not.
    """
    found = [
        count for count in counts
        if count.candidate >= least and not (count.recalled if recalled else count.served)
    ]  # fmt: skip
    return sorted(found, key=lambda count: (-count.candidate, count.id))


_CURRENT = (
    "SELECT m.id, CASE m.reach WHEN 'global' THEN ? - c.born_of_user ELSE ? - c.born END, "
    "c.served, c.recalled FROM memories m JOIN memory_counts c USING (conversation, id) "
)


class Counting:
    """The counters of every memory that is there."""

    def __init__(self, db: Database, conversations: Conversations) -> None:
        self._db = db
        self._conversations = conversations

    def request(
        self, scope: Scope, *, served: Sequence[int], recalled: Sequence[int], degraded: bool
    ) -> None:
        """Count one request; one that was degraded counts nothing but itself."""
        with self._db.transaction():
            key = self._conversations.ensure(scope)
            column = "degraded" if degraded else "counted"
            self._db.write(
                f"INSERT INTO request_counts (conversation, {column}) VALUES (?, 1) "
                f"ON CONFLICT (conversation) DO UPDATE SET {column} = {column} + 1",
                (key,),
            )
            if degraded:
                return
            self._conversations.next_id(scope, _REQUESTS)
            back = set(recalled)
            self._db.write_many(
                "UPDATE memory_counts SET served = served + 1, recalled = recalled + ? "
                "WHERE user = ? AND id = ?",
                [(id in back, scope.user, id) for id in served],
            )

    def turnout(self, scope: Scope) -> Turnout:
        """How many requests of a conversation were counted and how many were degraded."""
        found = self._db.row(
            "SELECT counted, degraded FROM request_counts WHERE conversation = ?",
            (self._conversations.key(scope),),
        )
        counted, degraded = found or (0, 0)
        return Turnout(counted=counted, degraded=degraded)

    def of(self, scope: Scope, id: int) -> Count | None:
        """The counters of one current memory that the conversation can see."""
        return next(self._counts(scope, "AND m.id = ?", (id,)), None)

    def current(self, scope: Scope) -> tuple[Count, ...]:
        """The counters of every current memory that the conversation can see, by id."""
        return tuple(sorted(self._counts(scope, "", ()), key=lambda count: count.id))

    def _counts(self, scope: Scope, also: str, params: Sequence[object]) -> Iterator[Count]:
        key = self._conversations.key(scope)
        counted = self.turnout(scope).counted
        of_user = self._db.number(
            "SELECT last FROM counters WHERE user = ? AND name = ?", (scope.user, _REQUESTS)
        )
        own = "WHERE m.conversation = ? AND m.superseded_by IS NULL "
        others = (
            "JOIN global_memories g USING (conversation, id) "
            "WHERE g.user = ? AND g.conversation <> ? AND m.superseded_by IS NULL "
        )
        for where, given in ((own, (key,)), (others, (scope.user, key))):
            for id, candidate, served, recalled in self._db.rows(
                f"{_CURRENT}{where}{also}", (of_user, counted, *given, *params)
            ):
                yield Count(id=id, candidate=candidate, served=served, recalled=recalled)
