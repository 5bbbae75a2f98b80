"""Consolidation: what an attribute holds more than once becomes one current row.

The statements of an attribute are read in the order they were made. One that repeats the
row before it is absorbed by that row, the oldest of its run; one that says something else
replaces it. Rows without an attribute are left alone, and so is a row whose attribute an
extractor guessed, but for a repetition.

Invariant: running it again changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from palimpsest.types import Memory, Resolution, ResolutionRule, Scope
from palimpsest.write.parts import WriteStore
from palimpsest.write.transcript import redact


class Verdict(NamedTuple):
    """``retired`` goes, ``kept`` stays, by ``rule``."""

    kept: Memory
    retired: Memory
    rule: ResolutionRule


def verdicts(rows: Sequence[Memory]) -> tuple[Verdict, ...]:
    """What to do with the current rows of one attribute, given oldest first."""
    found: list[Verdict] = []
    kept = rows[0]
    for row in rows[1:]:
        if row.text.strip() == kept.text.strip():
            found.append(Verdict(kept, row, "same-text"))
        elif row.guessed or kept.guessed:
            # A guess replaces nothing: only a correction does, and the reading decided on that.
            continue
        else:
            found.append(Verdict(row, kept, "newer-statement"))
            kept = row
    return tuple(found)


def consolidate(store: WriteStore, scope: Scope) -> tuple[Resolution, ...]:
    """Resolve every attribute of a scope that has more than one current row.

    Each decision is recorded. What a newer statement replaced is marked in the transcript
    as a correction does it. An append-only store never changes a row: nothing is done.
    """
    if store.policy != "managed":
        return ()
    made: list[Resolution] = []
    with store.transaction():
        rows = sorted(store.memories.labelled(scope), key=lambda row: (row.attribute or "", row.id))
        found = [
            verdict
            for _, group in groupby(rows, key=lambda row: row.attribute)
            for verdict in verdicts(list(group))
        ]
        for kept, retired, rule in found:
            store.memories.supersede(scope, retired.id, kept.id)
            if rule == "same-text":
                store.memories.see(scope, kept.id, retired.seen)
            made.append(store.resolutions.add(scope, kept=kept.id, retired=retired.id, rule=rule))
        _redact(store, scope, found)
    return tuple(made)


def _redact(store: WriteStore, scope: Scope, found: Sequence[Verdict]) -> None:
    last = store.turns.last(scope)
    replaced = [verdict for verdict in found if verdict.rule == "newer-statement"]
    for until, group in groupby(replaced, key=lambda verdict: verdict.kept.turn or last):
        redact(store, scope, [verdict.retired for verdict in group], until=until)
