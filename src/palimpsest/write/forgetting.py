"""Forget: memories with all they replaced, and their values everywhere, in one transaction.

Invariant: it happens whole or not at all, and afterwards no table of the store holds the
value in any of its forms, but for what the user says after it. One record a memory is left,
with keyed hashes of the value and without a text.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from palimpsest.errors import InputError, NotFound
from palimpsest.language.occurrences import Span
from palimpsest.language.surface_forms import MOST_WORDS, find, keys_of, read, squeezed
from palimpsest.types import AskedBy, Deletion, KnownBy, Memory, Scope
from palimpsest.write import given, told_again, withholding
from palimpsest.write.commands import forgettable, managed, places, until_of
from palimpsest.write.copies import copies
from palimpsest.write.erasing import Piece, Traces, erase
from palimpsest.write.lost import Search, is_strong
from palimpsest.write.nearest import leave
from palimpsest.write.parts import WriteStore
from palimpsest.write.redaction import outside, united


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgot:
    """What a forget did, or would do."""

    records: tuple[Deletion, ...]
    rows: tuple[Memory, ...]
    """Every memory that goes, the replaced ones too."""
    pieces: tuple[Piece, ...]
    """Every piece of a turn that goes."""
    counts: tuple[tuple[str, int], ...]


def forget(
    store: WriteStore,
    scope: Scope,
    *,
    attribute: str | None = None,
    id: int | None = None,
    value: str | None = None,
    turn: int | None = None,
    reason: str | None = None,
    forms: Sequence[str] = (),
    asked_by: AskedBy = "application",
) -> tuple[Deletion, ...]:
    """Delete every current row of an attribute, one row by ``id``, or a ``value`` everywhere.

    All that a row replaced goes with it. The statements and their values, in any form, leave
    the transcript too: every text up to ``turn`` (the newest turn where it is not given; the
    request to forget included), and after it all but the user's own words. One record a row is
    left, with ``reason`` (less what is forgotten, should it quote it) and without the text.
    ``forms`` are further writings of the value to look for. Raises NotFound where there is
    nothing to forget. A global memory leaves every conversation of its user.
    """
    managed(store, "forget")
    attribute, id = given.attribute(attribute), given.number("id", id)
    value = given.optional("value", value)
    if sum(each is not None for each in (attribute, id, value)) != 1:
        raise InputError(
            "name either an attribute or the id of a memory or a value, and only one of them"
        )
    with store.transaction():
        roots = named(store, scope, attribute=attribute, id=id, value=value)
        return _forget(
            store, scope, roots, values=(*((value,) if value else ()), *forms), turn=turn,
            reason=reason, asked_by=asked_by,
        ).records  # fmt: skip


def forget_rows(
    store: WriteStore, scope: Scope, ids: Sequence[int], *, turn: int | None = None,
    reason: str | None = None, values: Sequence[str] = (), asked_by: AskedBy = "application",
) -> Forgot:  # fmt: skip
    """The same of several rows at once, by their ids, and of ``values`` that no row holds."""
    managed(store, "forget")
    with store.transaction():
        found = [forgettable(store, scope, None, id)[0] for id in dict.fromkeys(ids)]
        return _forget(
            store, scope, found, values=values, turn=turn, reason=reason, asked_by=asked_by
        )


def rehearsed(
    store: WriteStore, scope: Scope, ids: Sequence[int], *, values: Sequence[str] = (),
    turn: int | None = None,
) -> Forgot:  # fmt: skip
    """What a forget would do: it is done, told, and taken back. Nothing is changed."""
    managed(store, "forget")
    with taken_back(store):
        rows = [forgettable(store, scope, None, id)[0] for id in dict.fromkeys(ids)]
        return _forget(store, scope, rows, values=values, turn=turn, reason=None, hashes=False)
    raise AssertionError("a rehearsal returns")


def named(
    store: WriteStore, scope: Scope, *, attribute: str | None, id: int | None, value: str | None
) -> tuple[Memory, ...]:
    """The rows that an attribute, an id or a value means; none may hold a value. NotFound."""
    if value is not None:
        return holding(store, scope, value)
    return forgettable(store, scope, attribute, id)


def holding(store: WriteStore, scope: Scope, value: str) -> tuple[Memory, ...]:
    """The rows whose value is the given one, or that say nothing but it; oldest first."""
    keys = keys_of(value)
    return tuple(
        row
        for row in (*store.memories.visible(scope), *store.memories.superseded(scope))
        if (row.value and (row.value == value or keys & keys_of(row.value)))
        or (row.value is None and keys and keys & keys_of(row.text))
    )


class _TakeBack(Exception):
    """Ends a rehearsal."""


@contextmanager
def taken_back(store: WriteStore) -> Iterator[None]:
    """A transaction that is always rolled back, also where its body returns."""
    try:
        with store.transaction():
            yield
            raise _TakeBack
    except _TakeBack:
        return


def _forget(
    store: WriteStore, scope: Scope, roots: Sequence[Memory], *, values: Sequence[str],
    turn: int | None, reason: str | None, asked_by: AskedBy = "application", hashes: bool = True,
) -> Forgot:  # fmt: skip
    reason, turn = given.optional("reason", reason), given.number("turn", turn)
    until, traces = until_of(store, scope, turn), Traces()
    roots = (*roots, *copies(store, scope, roots))
    chains = _apart([store.memories.chain(root.scope, root.id) for root in roots])
    gone = [memory for chain in chains for memory in chain]
    reached = reach(store, scope, gone)
    again = {place: store.wordings.of(gone, place) for place in reached}
    store.wordings.delete(gone)
    for home in dict.fromkeys(memory.scope for memory in gone):
        store.memories.delete(home, [memory.id for memory in gone if memory.scope == home])
    leave(store, scope.user, gone)
    ends = {place: until if place == scope else store.turns.last(place) for place in reached}
    for place, worded in again.items():
        mine = _said_here([*gone, *worded], place)
        erase(store, place, gone, mine, traces, until=ends[place], values=values)
    withholding.renew(store, scope)
    if hashes:
        store.erase_log(_left_on_disk(gone, traces))
    if not gone and not any(traces.counts.values()):
        raise NotFound(
            "nothing in this conversation holds what is to be forgotten; 'palimpsest memories' "
            "lists what is remembered"
        )
    records = _records(
        store, scope, chains, traces, ends, turn=turn, reason=reason, asked_by=asked_by,
        hashes=hashes,
    )  # fmt: skip
    counts = {"rows": len(gone), **traces.counts}
    return Forgot(
        records=records, rows=tuple(gone), pieces=tuple(traces.pieces),
        counts=tuple(counts.items()),
    )  # fmt: skip


def _left_on_disk(gone: Sequence[Memory], traces: Traces) -> Iterator[str]:
    """What no byte of the file may hold: statements, long pieces of turns, strong values."""
    texts = (
        *(memory.text for memory in gone), *(piece.text for piece in traces.pieces),
        *(value for value in traces.values if is_strong(value)),
    )  # fmt: skip
    return (text for text in texts if len(text.strip()) >= _SEEN)


_SEEN = 8
"""Characters from which on a text is looked for byte by byte; a shorter one may be there by chance."""


def _records(
    store: WriteStore, scope: Scope, chains: Sequence[Sequence[Memory]], traces: Traces,
    ends: dict[Scope, int], *, turn: int | None, reason: str | None, asked_by: AskedBy,
    hashes: bool,
) -> tuple[Deletion, ...]:  # fmt: skip
    """One record a chain; where no memory held the value, one record all the same."""
    values = tuple(traces.values)
    search = Search((), until=0, values=values)
    why = _without(reason, search, chains) or (
        "user request" + (f" at turn-{turn}" if turn else "")
    )
    homes = [(chain[-1].scope, chain[-1].attribute, len(chain), chain) for chain in chains]
    found = []
    for home, attribute, rows, chain in homes or [(scope, None, 0, ())]:
        named = None if attribute and _tells(attribute, values) else attribute
        far = any(memory.reach == "global" for memory in chain)
        made = store.deletions.add(
            home, attribute=named, reason=why, rows=rows, asked_by=asked_by, turn=turn,
            reach="global" if far else "conversation",
        )  # fmt: skip
        found.append((home, made))
    home, first = found[0]
    store.deletions.count(home, first.id, traces.counts)
    if hashes:
        known = [KnownBy(keys=_keys(v), words=_words(v)) for v in values if _is_known_again(v)]
        known += told_again.known_by(traces.told)
        store.forgotten.add(first, home, [each for each in known if each.keys], ends)
    by_id = {(h, record.id): record for h, _ in found for record in store.deletions.of(h)}
    return tuple(by_id[home, made.id] for home, made in found)


def _tells(attribute: str, values: Sequence[str]) -> bool:
    """True for a name that holds one of the values, also as a part: "pin-4417"."""
    flat = squeezed(attribute)
    return any(squeezed(value) in flat for value in values if squeezed(value))


def _keys(value: str) -> frozenset[str]:
    """The keys of a value, and those of its strong part where a text shows no more of it.

    Behind the point of "ext. 82-24" a text goes on with another piece: it is read as "82-24".
    """
    keys, found = keys_of(value), read(value, _words(value))
    abbreviated = len(value.split()) == _ABBREVIATED
    if not abbreviated or not keys or keys & {each.key for each in found}:
        return keys
    return keys | {each.key for each in found if is_strong(value[each.start : each.end])}


_ABBREVIATED = 2
"""The words of a value that says what kind it is in short: "ext. 82-24", "No. 77-120-B"."""


def _is_known_again(value: str) -> bool:
    """False for what is said of too many things to be refused ever after: "12", "blue"."""
    return bool(keys_of(value)) and (is_strong(value) or len(value.strip()) > _SHORT)


_SHORT = 2


def _words(value: str) -> int:
    return min(MOST_WORDS, len(value.split()) + 4)


def _apart(chains: Sequence[Sequence[Memory]]) -> list[Sequence[Memory]]:
    """Chains that have no row in common: one inside another goes with it."""
    found: list[Sequence[Memory]] = []
    for chain in sorted(chains, key=len, reverse=True):
        ids = {(memory.scope, memory.id) for memory in chain}
        taken = {(m.scope, m.id) for other in found for m in other}
        if not ids <= taken:
            found.append(chain)
    return sorted(found, key=lambda chain: chain[-1].id)


def reach(store: WriteStore, scope: Scope, gone: Sequence[Memory]) -> tuple[Scope, ...]:
    """The conversations that a forget must erase from."""
    found = dict.fromkeys(places(store, scope, gone))
    if any(memory.reach == "global" for memory in gone):
        names = store.conversations.of(scope.user)
        found.update((Scope(user=scope.user, conversation=name), None) for name in names)
    kin = (other for place in tuple(found) for other in store.branches.family(place))
    return tuple(dict.fromkeys((*found, *kin)))


def _said_here(gone: Sequence[Memory], scope: Scope) -> list[Memory]:
    """The statements, each with its turn where that is a turn of this conversation."""
    return [m if m.scope == scope else dataclasses.replace(m, turn=None) for m in gone]


def _without(reason: str | None, search: Search, chains: Sequence[Sequence[Memory]]) -> str:
    """A reason without the statements and values that are being forgotten."""
    if reason is None:
        return ""
    held: list[Span] = list(search.strong(reason))
    for chain in chains:
        for memory in chain:
            held += [s for v in (memory.value, memory.text) if v for s in find(v, reason)]
    kept, at = [], 0
    for start, end in united(outside(held, ())):
        kept.append(reason[at:start])
        at = end
    return "".join((*kept, reason[at:])).strip()
