"""Remember and correct: the application's commands, each one transaction.

Invariant: every row of a scope is current or superseded by a row that exists. A doubtful case
adds a row: a repetition can be seen and merged later, an overwritten memory is lost.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from palimpsest.errors import InputError, NotFound
from palimpsest.language.values import value_of
from palimpsest.types import PLAIN, Memory, Scope, Traits
from palimpsest.write import given, known_again
from palimpsest.write.parts import WriteStore
from palimpsest.write.transcript import existing_turn, redact


def remember(
    store: WriteStore,
    scope: Scope,
    text: str,
    *,
    attribute: str | None = None,
    value: str | None = None,
    turn: int | None = None,
    source: str | None = None,
    traits: Traits = PLAIN,
) -> Memory:
    """Store a statement as a new current row, whatever else its attribute has.

    ``value`` is the exact value, where the statement does not show it plainly; ``turn`` the
    turn that it quotes. ``source`` is ``turn-N`` for a turn and ``api`` otherwise. Raises
    InputError for a blank text and NotFound for a turn that does not exist.
    """
    given.text("text", text)
    attribute, turn = given.attribute(attribute), given.number("turn", turn)
    value, source = given.optional("value", value), given.optional("source", source)
    with store.transaction():
        if turn is not None:
            existing_turn(store, scope, turn)
        known_again.said_again(store, scope, "\n".join(filter(None, (text, value))), turn=turn)
        return store.memories.insert(
            scope,
            text=text,
            source=source or _source(turn),
            attribute=attribute,
            value=value_of(text, attribute) if value is None else value,
            turn=turn,
            traits=traits,
        )


def correct(
    store: WriteStore,
    scope: Scope,
    text: str,
    *,
    attribute: str | None = None,
    id: int | None = None,
    value: str | None = None,
    turn: int | None = None,
    source: str | None = None,
    traits: Traits | None = None,
) -> Memory:
    """Replace what is current, by ``attribute`` or by the ``id`` of a current row.

    A new row supersedes every current row of the attribute. Only where the newest of them
    has the very same text is nothing new said: that row is seen once more and supersedes the
    others. A, then B, then A again ends with a new row A. What the replaced statements left
    in the transcript is marked. Raises NotFound where nothing is current.
    """
    managed(store, "correct")
    given.text("text", text)
    value, source = given.optional("value", value), given.optional("source", source)
    attribute, id = given.attribute(attribute), given.number("id", id)
    turn = given.number("turn", turn)
    with store.transaction():
        gone = _current(store, scope, attribute, id)
        if gone[-1].text.strip() == text.strip():
            kept, gone = gone[-1], gone[:-1]
            store.memories.see(kept.scope, kept.id)
        else:
            told = traits or dataclasses.replace(PLAIN, kind=gone[-1].kind)
            kept = remember(
                store, scope, text, attribute=gone[-1].attribute, value=value, turn=turn,
                source=source, traits=inherited(told, gone),
            )  # fmt: skip
        return _superseded(store, scope, gone, kept, until=until_of(store, scope, turn))


def pin(store: WriteStore, scope: Scope, id: int, *, pinned: bool = True) -> Memory:
    """Mark a current memory as coming before others; raises NotFound."""
    number = given.number("id", id)
    with store.transaction():
        (row,) = _current(store, scope, None, number)
        store.memories.pin(row.scope, row.id, pinned=pinned)
        made = store.memories.get(row.scope, row.id)
    assert made is not None
    return made


def inherited(traits: Traits, gone: Sequence[Memory]) -> Traits:
    """The traits of what replaces ``gone``: it reaches as far, and stays pinned."""
    far = any(memory.reach == "global" for memory in gone)
    return dataclasses.replace(
        traits, reach="global" if far else traits.reach,
        pinned=traits.pinned or any(memory.pinned for memory in gone),
    )  # fmt: skip


def replace(store: WriteStore, old: Memory, new: Memory, *, until: int | None) -> None:
    """Put ``new`` in the place of ``old``, which may live in another conversation.

    What the replaced statement left in both transcripts is marked. ``until`` is the turn of
    the conversation of ``old`` that says so; ``None`` its newest.
    """
    with store.transaction():
        store.memories.supersede(old.scope, old.id, new.id)
        for place in dict.fromkeys((old.scope, new.scope, *store.wordings.places([old]))):
            own = until if place == old.scope else None
            if place == new.scope:
                own = new.turn
            redact(store, place, [old], until=until_of(store, place, own))


def _superseded(
    store: WriteStore, scope: Scope, gone: Sequence[Memory], kept: Memory, *, until: int
) -> Memory:
    """Put ``kept`` in the place of what is gone, and read it again."""
    for memory in gone:
        store.memories.supersede(memory.scope, memory.id, kept.id)
    for place in places(store, scope, (*gone, kept)):
        redact(store, place, gone, until=until if place == scope else store.turns.last(place))
    made = store.memories.get(kept.scope, kept.id)
    assert made is not None
    return made


def places(store: WriteStore, scope: Scope, rows: Sequence[Memory]) -> tuple[Scope, ...]:
    """The conversation that asks, those that hold the rows, and those that say them again."""
    homes = (row.scope for row in rows)
    return tuple(dict.fromkeys((scope, *homes, *store.wordings.places(rows))))


def _current(
    store: WriteStore, scope: Scope, attribute: str | None, id: int | None
) -> tuple[Memory, ...]:
    """The current rows that a command means, oldest first; never none."""
    if (attribute is None) == (id is None):
        raise InputError("name either an attribute or the id of a memory, and not both")
    if attribute is not None:
        found = store.memories.visible(scope, attribute)
        if not found:
            raise _unknown(store, scope, f"no current memory has the attribute {attribute!r}")
        return found
    assert id is not None
    row = store.memories.reachable(scope, id)
    if row is None:
        raise _unknown(store, scope, f"there is no memory {id!r}")
    if row.superseded_by is not None:
        raise NotFound(f"memory {id} is not current: memory {row.superseded_by} replaced it")
    return (row,)


def forgettable(
    store: WriteStore, scope: Scope, attribute: str | None, id: int | None
) -> tuple[Memory, ...]:
    """The rows that a forget means: the current ones, but a row that was replaced can be forgotten by its id."""
    row = store.memories.reachable(scope, id) if id is not None and attribute is None else None
    return (row,) if row else _current(store, scope, attribute, id)


def _unknown(store: WriteStore, scope: Scope, what: str) -> NotFound:
    known = store.memories.attributes(scope)
    names = ", ".join(map(repr, known)) or "none"
    return NotFound(
        f"{what} in conversation {scope.conversation!r} of user {scope.user!r}; "
        f"attributes with a current memory: {names}; 'palimpsest memories' lists them all"
    )


def until_of(store: WriteStore, scope: Scope, turn: int | None) -> int:
    """The last turn that a correction or a forget reaches back from."""
    if turn is None:
        return store.turns.last(scope)
    return existing_turn(store, scope, turn).number


def managed(store: WriteStore, command: str) -> None:
    """Refuse a store that never changes a row; raises InputError."""
    if store.policy != "managed":
        raise InputError(
            f"{command}: this store is {store.policy!r}, a baseline that never changes a row; "
            f"make a store with the policy 'managed' to {command}"
        )


def _source(turn: int | None) -> str:
    return "api" if turn is None else f"turn-{turn}"
