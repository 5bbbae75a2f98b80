"""Forgets everything that one conversation holds: memories, words of turns, story, verdicts.

Its global memories leave every conversation of their user. Invariant: one transaction; the
places of turns and the records of deletions stay, and no text of anybody does.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from palimpsest.errors import NotFound
from palimpsest.types import AskedBy, Redaction, Scope, Turn
from palimpsest.write.commands import managed
from palimpsest.write.erasing import Piece, take_out
from palimpsest.write.forgetting import Forgot, forget_rows, taken_back
from palimpsest.write.parts import WriteStore
from palimpsest.write.redaction import texts

_REASON = "everything was asked for"


def forget_all(
    store: WriteStore, scope: Scope, *, turn: int | None = None, reason: str | None = None,
    asked_by: AskedBy = "application",
) -> Forgot:  # fmt: skip
    """Take out all that a conversation holds; raises NotFound where it holds nothing."""
    managed(store, "forget")
    with store.transaction():
        ids = [
            row.id for row in (*store.memories.visible(scope), *store.memories.superseded(scope))
        ]
        forgot = (
            forget_rows(store, scope, ids, turn=turn, reason=reason, asked_by=asked_by)
            if ids
            else Forgot(records=(), rows=(), pieces=(), counts=())
        )
        pieces = tuple(_turns(store, scope))
        told = _story(store, scope) + _verdicts(store, scope)
        if not (forgot.rows or pieces or told):
            raise NotFound(f"conversation {scope.conversation!r} holds nothing to forget")
        counts = _counts(forgot, pieces, told)
        records = forgot.records or (
            store.deletions.add(
                scope, attribute=None, reason=reason or _REASON, rows=0, asked_by=asked_by,
                turn=turn,
            ),
        )  # fmt: skip
        kept = {name: count for name, count in counts.items() if name != "rows"}
        store.deletions.count(scope, records[0].id, kept)
        store.requests.clear_prefix(scope)
        store.conversations.retire(scope)
        store.erase_log()
        return dataclasses.replace(
            forgot, records=records, pieces=(*forgot.pieces, *pieces), counts=tuple(counts.items())
        )


def _counts(forgot: Forgot, pieces: Sequence[Piece], told: int) -> dict[str, int]:
    """What went in all: with the memories, and beside them."""
    counts = dict(forgot.counts)
    turns = len({(piece.place, piece.turn) for piece in (*forgot.pieces, *pieces)})
    return counts | {
        "rows": len(forgot.rows), "turns": max(turns, counts.get("turns", 0)),
        "spans": counts.get("spans", 0) + len(pieces), "story": counts.get("story", 0) + told,
    }  # fmt: skip


def rehearsed_all(store: WriteStore, scope: Scope) -> Forgot:
    """What it would take; nothing is changed."""
    with taken_back(store):
        return forget_all(store, scope)
    raise AssertionError("a rehearsal returns")


def _turns(store: WriteStore, scope: Scope) -> Iterator[Piece]:
    for turn in store.turns.passing(scope, lambda _: True):
        planned = tuple(_all_of(turn))
        if planned:
            said = {(m, t): one for m, t, one in texts(turn)}
            take_out(store, scope, turn, planned)
            yield from (
                Piece(
                    place=scope, turn=turn.number, role=said[span.message, span.text].role,
                    text=said[span.message, span.text].text,
                )
                for span in planned
            )  # fmt: skip


def _all_of(turn: Turn) -> Iterator[Redaction]:
    for message, text, said in texts(turn):
        if said.text:
            yield Redaction(
                turn=turn.number, message=message, text=text, start=0, end=len(said.text),
                reason="forgotten",
            )  # fmt: skip


def _story(store: WriteStore, scope: Scope) -> int:
    story, changed = store.stories.of(scope), 0
    if story.summary:
        changed += 1
        store.stories.summarize(scope, "")
    for id in (*(one.id for one in story.anchors), *(one.id for one in story.released)):
        changed += 1
        store.stories.release(scope, id, _REASON)
        store.stories.reword(scope, id, "")
    for position in story.positions:
        changed += 1
        store.stories.drop(scope, position.subject)
    for name in story.state:
        store.stories.set_state(scope, name, None)
    return changed


def _verdicts(store: WriteStore, scope: Scope) -> int:
    undos = store.verdicts.undos(scope)
    told = [one for one in store.verdicts.of(scope) if one.text or undos[one.id]]
    store.verdicts.rewrite(scope, [(one.id, "", "") for one in told])
    return len(told)
