"""What is said, and what a correction or a forget does to what was said.

Invariant: a correction leaves the transcript as it is and marks spans in it; a forget
takes the characters out, and only their place stays marked.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from functools import cache

from palimpsest.errors import NotFound
from palimpsest.language.occurrences import Needles, fewest
from palimpsest.language.retold import Retold
from palimpsest.messages import check_pairs
from palimpsest.types import Memory, Message, Scope, Turn
from palimpsest.write import known_again, withholding
from palimpsest.write.parts import WriteStore
from palimpsest.write.redaction import Retired, all_retired, merged, plan, statements, told_by
from palimpsest.write.story_texts import Gone, correct_story
from palimpsest.write.watch import Watch


def append(
    store: WriteStore, scope: Scope, turns: Sequence[Turn], *, watch: Watch | None = None,
    times: Sequence[str] = (),
) -> tuple[Turn, ...]:  # fmt: skip
    """Store new turns; what others than the user repeat of a replaced statement is marked.

    ``watch`` keeps the replaced statements between calls, so that a turn costs its own text.
    ``times`` say when each was said, where that is not now.
    """
    checked = watch or Watch()
    with store.transaction():
        store.turns.add(scope, turns, times=times)
        stored = []
        for turn in turns:
            checked.check(store, scope, turn)
            stored.append(known_again.watch(store, scope, turn))
            withholding.watch(store, scope, stored[-1])
    return tuple(stored)


def extend(
    store: WriteStore,
    scope: Scope,
    number: int,
    messages: Sequence[Message],
    *,
    watch: Watch | None = None,
) -> Turn:
    """Add messages to the end of a turn: tool results, and the answer after them.

    What is stored of the turn stays as it is, forgotten text included. Raises NotFound.
    """
    with store.transaction():
        stored = existing_turn(store, scope, number)
        whole = dataclasses.replace(stored, messages=(*stored.messages, *messages))
        check_pairs(whole, f"turns[{number}]")
        store.turns.replace(scope, whole)
        (watch or Watch()).check(store, scope, whole)
        kept = known_again.watch(store, scope, whole)
        withholding.watch(store, scope, kept)
        return kept


def existing_turn(store: WriteStore, scope: Scope, number: int) -> Turn:
    """One turn; raises NotFound with the numbers that there are."""
    found = store.turns.get(scope, number)
    if found is None:
        raise NotFound(
            f"turn {number!r} does not exist in conversation {scope.conversation!r} of user "
            f"{scope.user!r}; its turns go up to {store.turns.last(scope)}"
        )
    return found


def redact(store: WriteStore, scope: Scope, gone: Sequence[Memory], *, until: int) -> None:
    """Mark what replaced statements left in the transcript, up to turn ``until`` and after."""
    gone = _said_here([*gone, *store.wordings.of(gone, scope)], scope)
    current = store.memories.visible(scope)
    items = all_retired(gone, current, until=until)
    protected, told = cache(lambda: statements(current)), told_by(items, current)
    for turn in _touched(store, scope, items, told):
        spans = plan(turn, items, protected, "corrected", told)
        if spans:
            old = store.redactions.of(scope, turn.number)
            store.redactions.put(scope, turn.number, merged(old, spans))
    needles = Needles(needle for item in items for needle in item.needles)
    correct_story(store, scope, Gone(needles=needles, told=told, protected=protected))


def _said_here(gone: Sequence[Memory], scope: Scope) -> list[Memory]:
    """The statements, each with its turn where that is a turn of this conversation."""
    return [m if m.scope == scope else dataclasses.replace(m, turn=None) for m in gone]


def _touched(
    store: WriteStore, scope: Scope, items: Sequence[Retired], told: Retold
) -> Iterator[Turn]:
    """The turns that may hold one of the statements, each once."""
    anchors = fewest(needle for item in items for needle in item.needles)
    left = {item.stated for item in items if item.stated}
    seen: set[int] = set()
    for turn in store.turns.holding(scope, anchors):
        left.discard(turn.number)
        seen.add(turn.number)
        yield turn
    if told.told:
        pieces = told.anchors
        for turn in (
            store.turns.passing(scope, told.may_hold)
            if pieces is None
            else store.turns.holding(scope, pieces, any_case=True)
        ):
            if turn.number not in seen:
                left.discard(turn.number)
                yield turn
    for number in sorted(left):
        if stated := store.turns.get(scope, number):
            yield stated
