"""The ways through a conversation that forks: each from its first record to one of its ends.

Invariant: a pure walk that ends for any links, circles and missing parents too; the way to
where the conversation stands comes first, and the number of ways is bounded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from palimpsest.importers.records import Left, Node, Talk

MOST = 64
"""Ways that are taken of one conversation."""
MOST_NODES = 400_000
"""Nodes of all of them together."""


def faults(talk: Talk) -> tuple[Left, ...]:
    """The records whose links lead nowhere or in a circle; each way just ends there."""
    known = {node.id: node for node in talk.nodes}
    found = [
        Left(where=node.where, reason="missing-parent")
        for node in talk.nodes
        if node.parent is not None and node.parent not in known
    ]
    return (*found, *(Left(where=known[id].where, reason="cycle") for id in _circles(known)))


def ways(talk: Talk) -> Iterator[tuple[Node, ...] | Left]:
    """The ways, the main one first; a ``Left`` for each one more than is taken."""
    known = {node.id: node for node in talk.nodes}
    ends = _ends(talk, known)
    taken = 0
    for count, end in enumerate(ends):
        if count >= MOST or taken > MOST_NODES:
            yield Left(where=known[end].where, reason="too-many-branches")
            continue
        way = _way(known, end)
        taken += len(way)
        yield way


def _ends(talk: Talk, known: Mapping[str, Node]) -> Sequence[str]:
    """The main end, then every other node that nothing follows, as the source orders them."""
    parents = {node.parent for node in talk.nodes}
    leaves = [node.id for node in talk.nodes if node.id not in parents]
    tip = talk.tip if talk.tip in known else None
    if tip is None and talk.nodes:
        tip = leaves[-1] if leaves else talk.nodes[-1].id
    if tip is None:
        return []
    ends = dict.fromkeys((tip, *leaves))
    seen: set[str] = set()
    for id in (*ends, *known):
        # A circle that leads nowhere has no end: where it is met first is one.
        if id not in seen:
            ends.setdefault(id)
        _see(known, id, seen)
    return list(ends)


def _see(known: Mapping[str, Node], end: str, seen: set[str]) -> None:
    at: str | None = end
    while at is not None and at in known and at not in seen:
        seen.add(at)
        at = known[at].parent


def _way(known: Mapping[str, Node], end: str) -> tuple[Node, ...]:
    way: dict[str, Node] = {}
    at: str | None = end
    while at is not None and at in known and at not in way:
        way[at] = known[at]
        at = known[at].parent
    return tuple(reversed(way.values()))


def _circles(known: Mapping[str, Node]) -> Iterator[str]:
    """One node of each circle, the one that is met first."""
    seen: dict[str, int] = {}
    for turn, start in enumerate(known):
        at: str | None = start
        while at is not None and at in known and at not in seen:
            seen[at] = turn
            at = known[at].parent
        if at is not None and seen.get(at) == turn:
            yield at
