"""Takes back what a verdict did: an added, merged or superseding memory, or part of the story.

Invariant: afterwards every row is current or superseded by a row that exists, and the
transcript is marked as if the verdict had never been. A forget cannot be undone: what it
deleted is nowhere. Later verdicts on the same memory are undone first.
"""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from palimpsest.errors import InputError, NotFound
from palimpsest.proposals import Verdict
from palimpsest.types import Memory, Scope, canonical
from palimpsest.write.parts import WriteStore
from palimpsest.write.story_texts import hold_again
from palimpsest.write.transcript import redact
from palimpsest.write.undo_story import changes_story, undo_story


def undo(store: WriteStore, scope: Scope, id: int) -> Verdict:
    """Undo one verdict; raises NotFound, or InputError where it cannot be undone (any more)."""
    with store.transaction():
        verdict = existing(store, scope, id)
        done = _undoable(store, scope, verdict)
        if "accepted" in done:
            return _waiting_again(store, scope, verdict, done)
        if changes_story(done):
            undo_story(store, scope, verdict, done)
        elif "merged" in done:
            _part(store, scope, verdict, done)
        else:
            _take_back(store, scope, done)
        store.verdicts.settle(scope, id, "undone")
        return existing(store, scope, id)


def existing(store: WriteStore, scope: Scope, id: int) -> Verdict:
    """One verdict; raises NotFound."""
    found = store.verdicts.get(scope, id)
    if found is None:
        raise NotFound(
            f"there is no verdict {id!r} in conversation {scope.conversation!r} of user "
            f"{scope.user!r}; 'palimpsest verdicts' lists them"
        )
    return found


def _undoable(store: WriteStore, scope: Scope, verdict: Verdict) -> dict[str, Any]:
    accepted = verdict.settled == "accepted"
    if verdict.settled is not None and not accepted:
        raise InputError(f"verdict {verdict.id} is {verdict.settled} already")
    if verdict.action == "forget" or (accepted and verdict.rule.endswith("-forget")):
        raise InputError(
            f"verdict {verdict.id} is a forget, which cannot be undone: what it deleted is kept "
            "nowhere; say the fact again"
        )
    kept = store.verdicts.undo_of(scope, verdict.id)
    done: dict[str, Any] = json.loads(kept) if kept else {}
    if not done or "proposal" in done or (accepted and "accepted" not in done):
        raise InputError(
            f"verdict {verdict.id} ({verdict.action}) changed nothing to undo, or what it changed "
            "was forgotten since"
        )
    told = done.get("accepted", done)
    row = told.get("added", told.get("kept", verdict.memory))
    for later in reversed(store.verdicts.of(scope)):
        if later.id > verdict.id and later.settled is None and _touches(later, row):
            raise InputError(
                f"verdict {verdict.id}: verdict {later.id} built on memory {row} later; undo "
                f"{later.id} first"
            )
    return done


def _waiting_again(
    store: WriteStore, scope: Scope, verdict: Verdict, done: dict[str, Any]
) -> Verdict:
    """Take back what accepting a verdict did; it waits for a person as it did before."""
    told: dict[str, Any] = done["accepted"]
    if "added" in told:
        _take_back(store, scope, told)
    else:
        _current(store, scope, told["kept"])
        for home in sorted(_restored(store, scope, told), key=lambda each: each.conversation):
            mark_anew(store, home)
    was = canonical(done["was"]) if done["was"] else ""
    store.verdicts.rewrite(scope, [(verdict.id, verdict.text, was)])
    store.verdicts.settle(scope, verdict.id, None)
    return existing(store, scope, verdict.id)


def _touches(verdict: Verdict, memory: int | None) -> bool:
    changed = verdict.action in ("merge", "supersede", "forget")
    return memory is not None and changed and memory in (verdict.memory, verdict.other)


def _part(store: WriteStore, scope: Scope, verdict: Verdict, done: dict[str, Any]) -> None:
    """A merged statement was said once less, and the older wording stands again."""
    home = dataclasses.replace(scope, conversation=done["home"])
    row = _current(store, home, done["merged"])
    store.memories.see(home, row.id, -1)
    if (row.text, row.value) != (done["text"], done["value"]):
        store.memories.rewrite(home, row.id, text=done["text"], value=done["value"])
    store.wordings.drop(row, scope, turn=verdict.turn)


def _take_back(store: WriteStore, scope: Scope, done: dict[str, Any]) -> None:
    """Delete the added row; what it had replaced is current again."""
    added = _current(store, scope, done["added"])
    homes = _restored(store, scope, done)
    homes.update(store.wordings.places([added]))
    store.wordings.delete([added])
    store.memories.delete(scope, [added.id])
    for home in sorted(homes, key=lambda each: each.conversation):
        mark_anew(store, home)


def _restored(store: WriteStore, scope: Scope, done: dict[str, Any]) -> set[Scope]:
    """Make current again what was replaced; the conversations that this changes."""
    homes = {scope}
    for name, id in done.get("superseded", ()):
        home = dataclasses.replace(scope, conversation=name)
        store.memories.restore(home, id)
        homes.add(home)
        if restored := store.memories.get(home, id):
            homes.update(store.wordings.places([restored]))
    return homes


def _current(store: WriteStore, scope: Scope, id: int) -> Memory:
    row = store.memories.get(scope, id)
    if row is None:
        raise InputError(f"memory {id} is gone, so what was done to it cannot be undone")
    if row.superseded_by is not None:
        raise InputError(f"memory {id} was replaced by memory {row.superseded_by}; undo that first")
    return row


def mark_anew(store: WriteStore, scope: Scope) -> None:
    """Mark the transcript by what is replaced now, and by nothing that is current again."""
    store.redactions.clear(scope, "corrected")
    by_turn: dict[int, list[Memory]] = {}
    for row in store.memories.replaced(scope):
        newer = store.memories.reachable(scope, row.superseded_by or 0)
        said_here = newer is not None and newer.scope == scope
        if not (row.scope == scope or said_here or scope in store.wordings.places([row])):
            continue
        own = newer.turn if newer is not None and said_here else None
        until = own or store.turns.last(scope)
        by_turn.setdefault(until, []).append(row)
    for until, rows in sorted(by_turn.items()):
        redact(store, scope, rows, until=until)
    hold_again(store, scope)
