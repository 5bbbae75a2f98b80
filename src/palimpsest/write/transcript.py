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
from palimpsest.language.redact_text import erased
from palimpsest.messages import check_pairs
from palimpsest.types import Memory, Message, Scope, Turn
from palimpsest.write.parts import WriteStore
from palimpsest.write.redaction import Retired, all_retired, cut, merged, plan, shifted, statements
from palimpsest.write.story_texts import Gone, correct_story, erase_story
from palimpsest.write.watch import Watch


def append(
    store: WriteStore, scope: Scope, turns: Sequence[Turn], *, watch: Watch | None = None
) -> tuple[Turn, ...]:
    """Store new turns; what others than the user repeat of a replaced statement is marked.

    ``watch`` keeps the replaced statements between calls, so that a turn costs its own text.
    """
    checked = watch or Watch()
    with store.transaction():
        store.turns.add(scope, turns)
        for turn in turns:
            checked.check(store, scope, turn)
    return tuple(turns)


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
    return whole


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
    protected = cache(lambda: statements(current))
    for turn in _touched(store, scope, items):
        spans = plan(turn, items, protected, "corrected")
        if spans:
            old = store.redactions.of(scope, turn.number)
            store.redactions.put(scope, turn.number, merged(old, spans))
    needles = Needles(needle for item in items for needle in item.needles)
    correct_story(store, scope, Gone(needles=needles, protected=protected))


def erase(store: WriteStore, scope: Scope, gone: Sequence[Memory], *, until: int) -> None:
    """Take forgotten statements out of the transcript and out of replaced memories."""
    gone = _said_here(gone, scope)
    current = store.memories.visible(scope)
    items = all_retired(gone, current, until=until)
    protected = cache(lambda: statements(current))
    for turn in _touched(store, scope, items):
        spans = plan(turn, items, protected, "forgotten")
        if spans:
            old = store.redactions.of(scope, turn.number)
            store.redactions.put(scope, turn.number, shifted(old, spans))
            store.turns.replace(scope, erased(turn, spans))
    needles = Needles(needle for item in items for needle in item.needles)
    for memory in store.memories.superseded(scope):
        _erase_memory(store, memory, needles, protected())
    _erase_verdicts(store, scope, gone, needles, protected())
    erase_story(store, scope, Gone(needles=needles, protected=protected))
    store.requests.clear_prefix(scope)
    store.erase_log()


def _said_here(gone: Sequence[Memory], scope: Scope) -> list[Memory]:
    """The statements, each with its turn where that is a turn of this conversation."""
    return [m if m.scope == scope else dataclasses.replace(m, turn=None) for m in gone]


def _erase_memory(store: WriteStore, memory: Memory, gone: Needles, protected: Needles) -> None:
    text = cut(memory.text, gone, protected)
    value = memory.value and cut(memory.value, gone, protected)
    if (text, value) != (memory.text, memory.value):
        store.memories.rewrite(memory.scope, memory.id, text=text, value=value or None)


def _erase_verdicts(
    store: WriteStore, scope: Scope, gone: Sequence[Memory], needles: Needles, protected: Needles
) -> None:
    """Verdicts that carry what was forgotten lose it, with what would undo them.

    A verdict on a forgotten row loses all its words: they may say it in other ones. So does a
    rejected proposal of the turn that stated it.
    """
    ids, stated = {memory.id for memory in gone}, {memory.turn for memory in gone if memory.turn}
    undos, changed = store.verdicts.undos(scope), []
    for verdict in store.verdicts.of(scope):
        undo = undos[verdict.id]
        about = verdict.memory in ids or (verdict.action == "reject" and verdict.turn in stated)
        text = "" if about else cut(verdict.text, needles, protected)
        whole = text == verdict.text and cut(undo, needles, Needles(())) == undo
        kept = undo if whole and verdict.other not in ids else ""
        if (text, kept) != (verdict.text, undo):
            changed.append((verdict.id, text, kept))
    store.verdicts.rewrite(scope, changed)


def _touched(store: WriteStore, scope: Scope, items: Sequence[Retired]) -> Iterator[Turn]:
    """The turns that may hold one of the statements, each once."""
    anchors = fewest(needle for item in items for needle in item.needles)
    left = {item.stated for item in items if item.stated}
    for turn in store.turns.holding(scope, anchors):
        left.discard(turn.number)
        yield turn
    for number in sorted(left):
        if stated := store.turns.get(scope, number):
            yield stated
