"""Reads what an import wrote, before it is committed: a file may hold anything.

Invariant: rows that this package could not have written, and that would make a later read fail
for their user or hold up the reading of everybody's turns, are refused with the whole file.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable

from palimpsest.context import ledger_json, prefix
from palimpsest.errors import InputError
from palimpsest.language.message_text import searched
from palimpsest.store.store import Store
from palimpsest.types import Scope, Turn

_ALL = 1 << 53
"""More requests than a store keeps of one conversation."""
_LANGUAGE = re.compile(r"[a-z]{2,3}")
_FAULTS = (
    ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, RecursionError,
    AssertionError,
)  # fmt: skip


def read_back(store: Store, scopes: Iterable[Scope]) -> None:
    """Read each conversation whole; raises InputError for one that cannot be."""
    for scope in scopes:
        try:
            _turns(store, scope)
            _memories(store, scope)
            _others(store, scope)
        except _FAULTS as error:
            # The words of the error may be those of the file.
            raise InputError(
                f"conversation {scope.conversation!r} of user {scope.user!r} holds a row that "
                f"cannot be read ({type(error).__name__}); nothing was imported"
            ) from None


def _turns(store: Store, scope: Scope) -> None:
    last = store.turns.last(scope)
    for turn in store.turns.newest(scope):
        _check(0 < turn.number <= last, "a turn is out of the range of its conversation")
        _whole(turn)
        for each in store.redactions.of(scope, turn.number):
            text = searched(turn.messages[each.message])[each.text].text
            _check(0 <= each.start <= each.end <= len(text), "a span is out of its text")


def _whole(turn: Turn) -> None:
    _check(bool(turn.messages), "a turn without messages")
    for message in turn.messages:
        message.as_dict()
    _ = (turn.user, turn.assistant, turn.open)


def _memories(store: Store, scope: Scope) -> None:
    for row in (*store.memories.current(scope), *store.memories.superseded(scope)):
        _check(row.id > 0, "ids count from 1")
        _check(row.confidence is None or math.isfinite(row.confidence), "a confidence is none")


def _others(store: Store, scope: Scope) -> None:
    store.deletions.of(scope)
    known = store.forgotten.sought_of(scope.user).languages
    _check(all(map(_LANGUAGE.fullmatch, known)), "a language is none")
    store.resolutions.of(scope)
    store.verdicts.of(scope)
    for undo in store.verdicts.undos(scope).values():
        json.loads(undo or "{}")
    prefix.loads(store.requests.previous_prefix(scope))
    store.reflections.of(scope)
    store.stories.of(scope)
    for id in store.requests.newest(scope, _ALL):
        kept = store.requests.get(scope, id)
        if kept is not None:
            ledger_json.loads(kept.ledger)


def _check(fits: bool, why: str) -> None:
    if not fits:
        raise ValueError(why)
