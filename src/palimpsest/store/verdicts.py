"""The verdicts on what extractors proposed, with what is needed to undo each.

Invariant: one row a proposal, never two; its text is erased when what it says is forgotten.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

from palimpsest.proposals import Action, Verdict
from palimpsest.store.conversations import Conversations
from palimpsest.store.database import Database, Row
from palimpsest.store.withheld import Withheld
from palimpsest.types import Scope

_COLUMNS = (
    "id, turn, action, rule, text, extractor, memory, other, score, created_at, settled, undo"
)


class Verdicts:
    """The verdicts of every conversation."""

    def __init__(self, db: Database, conversations: Conversations, now: Callable[[], str]) -> None:
        self._db = db
        self._conversations = conversations
        self._now = now
        self.withheld = Withheld(db, conversations)
        """What those that wait may mean."""

    def add(
        self,
        scope: Scope,
        *,
        turn: int,
        action: Action,
        rule: str,
        text: str,
        extractor: str,
        memory: int | None = None,
        other: int | None = None,
        score: float | None = None,
        undo: str = "",
    ) -> Verdict:
        """Keep a verdict; ``undo`` is what its undoing needs, as JSON."""
        with self._db.transaction():
            key = self._conversations.ensure(scope)
            id = self._conversations.next_id(scope, "verdict")
            row = (id, turn, action, rule, text, extractor, memory, other, score, self._now(),
                   None, undo)  # fmt: skip
            self._db.write(
                f"INSERT INTO verdicts (conversation, {_COLUMNS}) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (key, *row),
            )
        return _verdict(row)

    def of(self, scope: Scope, *, turn: int | None = None) -> tuple[Verdict, ...]:
        """The verdicts of a scope, oldest first; those on one turn where it is given."""
        only = "" if turn is None else " AND turn = ?"
        rows = self._db.rows(
            f"SELECT {_COLUMNS} FROM verdicts WHERE conversation = ?{only} ORDER BY id",
            (self._conversations.key(scope), *(() if turn is None else (turn,))),
        )
        found = tuple(map(_verdict, rows))
        if not any(map(_may_mean, found)):
            return found
        held = self.withheld.candidates(scope)
        return tuple(
            dataclasses.replace(one, candidates=held.get(one.id, ())) if _may_mean(one) else one
            for one in found
        )

    def get(self, scope: Scope, id: int) -> Verdict | None:
        """One verdict, or ``None``."""
        found = self._row(scope, id)
        if found is None:
            return None
        verdict = _verdict(found)
        held = self.withheld.candidates(scope).get(id, ()) if _may_mean(verdict) else ()
        return dataclasses.replace(verdict, candidates=held)

    def undo_of(self, scope: Scope, id: int) -> str:
        """What the undoing of a verdict needs; empty where nothing is to be undone."""
        found = self._row(scope, id)
        return str(found[-1]) if found else ""

    def undos(self, scope: Scope) -> dict[int, str]:
        """What the undoing of each verdict of a scope needs, by id."""
        rows = self._db.rows(
            "SELECT id, undo FROM verdicts WHERE conversation = ?",
            (self._conversations.key(scope),),
        )
        return dict(rows)

    def settle(self, scope: Scope, id: int, how: str | None) -> None:
        """Record that a person undid, accepted or dismissed a verdict; ``None``: not any more."""
        with self._db.transaction():
            self._db.write(
                "UPDATE verdicts SET settled = ? WHERE conversation = ? AND id = ?",
                (how, self._conversations.key(scope), id),
            )

    def rewrite(self, scope: Scope, texts: Sequence[tuple[int, str, str]]) -> None:
        """Write other words and undo records: (id, text, undo); nothing keeps the old ones."""
        with self._db.transaction():
            key = self._conversations.key(scope)
            self._db.write_many(
                "UPDATE verdicts SET text = ?, undo = ? WHERE conversation = ? AND id = ?",
                [(text, undo, key, id) for id, text, undo in texts],
            )

    def _row(self, scope: Scope, id: int) -> Row | None:
        return self._db.row(
            f"SELECT {_COLUMNS} FROM verdicts WHERE conversation = ? AND id = ?",
            (self._conversations.key(scope), id),
        )


def _may_mean(verdict: Verdict) -> bool:
    """True for a request to forget that waits: only it has candidates."""
    waits = verdict.action == "review" and verdict.settled is None
    return waits and verdict.rule.endswith("-forget")


def _verdict(row: Row) -> Verdict:
    id, turn, action, rule, text, extractor, memory, other, score, created, settled, _undo = row
    return Verdict(
        id=id, turn=turn, action=action, rule=rule, text=text, extractor=extractor,
        memory=memory, other=other, score=score, created_at=created, settled=settled,
    )  # fmt: skip
