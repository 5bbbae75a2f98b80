"""The branch that a framework's history goes on in, where it parts from its conversation.

A framework goes back in time, or edits what it holds, under one name. What it holds then leads
up to the end of a branch, or to an earlier turn, where a branch is begun.

Invariant: a branch begins behind a whole turn that the history holds; a history that holds none
is refused. Old words bring nothing forgotten into a branch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice

from palimpsest import messages as reading
from palimpsest import write
from palimpsest.placing import Given
from palimpsest.store.store import Store
from palimpsest.types import Message, Scope, Turn, spoken


def branch_of(
    store: Store, scope: Scope, held: Given, name: Callable[[Scope], Scope], *, fresh: bool
) -> Scope | None:
    """Where ``held`` goes on: a branch that ends with it, or one that is begun now.

    ``fresh`` says that its newest turn was answered just now. ``None`` where it holds no turn of
    the conversation or of its branches.
    """
    said = reading.messages(held)
    with store.transaction():
        family = store.branches.family(scope)
        ends = [(_leads(store, place, said), i, place) for i, place in enumerate(family)]
        known, _, end = max(ends)
        forks = [(*fork, i, place) for i, place in enumerate(family)
                 if (fork := _fork(store, place, said)) is not None]  # fmt: skip
        most, turn, _, parent = max(forks, default=(0, 0, 0, scope))
        if not max(known, most):
            return None
        found = end
        if known < most:
            known, found = most, name(scope)
            write.branch(store, found, parent, turn)
        newest = _opens(said) if fresh else len(said)
        old = said[known : max(known, newest)]
        if old:
            write.guard(store, found, old, until=store.turns.last(found) + len(old))
        return found


def _leads(store: Store, scope: Scope, said: Sequence[Message]) -> int:
    """How many messages lead up to the end of a conversation."""
    return write.known(
        partial(store.turns.newest, scope), said, partial(store.redactions.of, scope)
    )


def _fork(store: Store, scope: Scope, said: Sequence[Message]) -> tuple[int, int] | None:
    """How many messages lead up to an earlier turn, and which; the most, and then the newest."""
    turns = tuple(store.turns.newest(scope))[1:]
    spans = partial(store.redactions.of, scope)

    def before(skipped: int) -> Iterator[Turn]:
        return islice(turns, skipped, None)

    found = [
        (write.known(partial(before, skipped), said, spans), turn.number)
        for skipped, turn in enumerate(turns)
        if not turn.open
    ]
    best = max(found, default=(0, 0))
    return best if best[0] else None


def _opens(said: Sequence[Message]) -> int:
    """Where the newest turn begins."""
    return max((i for i, message in enumerate(said) if spoken(message)), default=0)
