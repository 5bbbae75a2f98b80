"""What waits for a person: to be accepted or dismissed, each once.

Invariant: a dismissed proposal changes nothing; an accepted one is applied by the same
commands as any other, and both stay in the record. What accepting did is kept with the verdict,
so that undoing it lets the verdict wait again.
"""

from __future__ import annotations

import json
from typing import Any

from palimpsest.errors import Ambiguous, InputError, NotFound
from palimpsest.proposals import Verdict
from palimpsest.types import Memory, Scope, canonical
from palimpsest.write import commands, proposed, withholding
from palimpsest.write.forget_all import forget_all
from palimpsest.write.forgetting import forget
from palimpsest.write.parts import WriteStore
from palimpsest.write.undo import existing


def waiting(store: WriteStore, scope: Scope) -> tuple[Verdict, ...]:
    """The verdicts that wait for a person, oldest first."""
    return tuple(v for v in store.verdicts.of(scope) if v.action == "review" and not v.settled)


def dismiss(store: WriteStore, scope: Scope, id: int) -> Verdict:
    """Leave everything as it is; raises NotFound and InputError."""
    with store.transaction():
        _open(store, scope, id)
        store.verdicts.settle(scope, id, "dismissed")
        withholding.renew(store, scope)
        return existing(store, scope, id)


def accept(store: WriteStore, scope: Scope, id: int, *, memory: int | None = None) -> Verdict:
    """Do what was proposed; ``memory`` says which one is meant where several may be.

    A conflict: the newer statement replaces the older. A proposal that nobody trusted: it is
    kept. Raises Ambiguous where ``memory`` is needed, NotFound and InputError.
    """
    with store.transaction():
        verdict = _open(store, scope, id)
        kept = store.verdicts.undo_of(scope, id)
        done: dict[str, Any] = {}
        if verdict.rule == "undecided-conflict":
            done = _replace(store, scope, verdict)
        elif verdict.rule in withholding.RULES:
            if verdict.rule == "whole-forget" and memory is None:
                forget_all(store, scope, turn=verdict.turn, reason=f"review {id}", asked_by="user")
            else:
                row = _meant(store, scope, verdict, memory)
                forget(store, scope, id=row.id, reason=f"review {id}")
        else:
            done = _keep(store, scope, verdict, memory)
        if done:
            record = canonical({"accepted": done, "was": json.loads(kept) if kept else None})
            store.verdicts.rewrite(scope, [(id, verdict.text, record)])
        store.verdicts.settle(scope, id, "accepted")
        withholding.renew(store, scope)
        return existing(store, scope, id)


def _open(store: WriteStore, scope: Scope, id: int) -> Verdict:
    verdict = existing(store, scope, id)
    if verdict.action != "review" or verdict.settled:
        how = verdict.settled or verdict.action
        raise InputError(f"verdict {id} does not wait for anybody: it is {how}")
    return verdict


def _replace(store: WriteStore, scope: Scope, verdict: Verdict) -> dict[str, Any]:
    newer = _visible(store, scope, verdict.memory)
    older = [
        row for row in store.memories.visible(scope)
        if row.id != newer.id and newer.attribute is not None and row.attribute == newer.attribute
        and row.id < newer.id
    ]  # fmt: skip
    for row in older:
        until = newer.turn if row.scope == newer.scope else None
        commands.replace(store, row, newer, until=until)
    return {"kept": newer.id, "superseded": [[row.scope.conversation, row.id] for row in older]}


def _keep(store: WriteStore, scope: Scope, verdict: Verdict, memory: int | None) -> dict[str, Any]:
    """Apply a proposal that waited."""
    kept = store.verdicts.undo_of(scope, verdict.id)
    if not kept:
        raise InputError(f"verdict {verdict.id}: what it proposed was forgotten since; dismiss it")
    told = proposed.read(kept)
    row = None
    if verdict.rule == "ambiguous-correction":
        row = _meant(store, scope, verdict, memory)
    traits = proposed.traits(told, trusted=False)
    made = commands.remember(
        store, scope, told.text, attribute=row.attribute if row else told.attribute,
        value=told.value, turn=verdict.turn,
        traits=commands.inherited(traits, [row]) if row else traits,
    )  # fmt: skip
    if row is not None:
        until = verdict.turn if row.scope == scope else None
        commands.replace(store, row, made, until=until)
    gone = [[row.scope.conversation, row.id]] if row is not None else []
    return {"added": made.id, "superseded": gone}


def _meant(store: WriteStore, scope: Scope, verdict: Verdict, memory: int | None) -> Memory:
    if memory is None:
        raise Ambiguous(
            f"verdict {verdict.id} ({verdict.rule}) may mean several memories; name one with "
            f"--memory, for instance --memory {verdict.other or 1}"
        )
    return _visible(store, scope, memory)


def _visible(store: WriteStore, scope: Scope, id: int | None) -> Memory:
    found = next((row for row in store.memories.visible(scope) if row.id == id), None)
    if found is None:
        raise NotFound(f"memory {id!r} is not current in conversation {scope.conversation!r}")
    return found
