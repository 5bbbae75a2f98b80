"""Takes back what a verdict did to the story: a summary, an anchor, a position, a state value.

What undoing needs was kept with the verdict. Invariant: a part is put back as it was before
the verdict, but for what was replaced or forgotten since, which stays gone; later verdicts on
the same part are undone first.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from palimpsest.errors import InputError
from palimpsest.proposals import Position, Verdict
from palimpsest.types import Scope
from palimpsest.write.parts import WriteStore
from palimpsest.write.story_texts import replaced_here

_KINDS = {"summary": "summary", "anchored": "anchor", "released": "anchor", "held": "position",
          "state": "state"}  # fmt: skip


def changes_story(done: Mapping[str, Any]) -> bool:
    """True where an undo record is that of a part of the story."""
    return _part(done) is not None


def undo_story(store: WriteStore, scope: Scope, verdict: Verdict, done: Mapping[str, Any]) -> None:
    """Put a part back; raises InputError where a later verdict changed it again."""
    undos = store.verdicts.undos(scope)
    for later in reversed(store.verdicts.of(scope)):
        if later.id <= verdict.id or later.settled is not None or not undos[later.id]:
            continue
        if _part(json.loads(undos[later.id])) == _part(done):
            raise InputError(
                f"verdict {verdict.id}: verdict {later.id} changed the same {_what(done)} later; "
                f"undo {later.id} first"
            )
    if "summary" in done:
        kept, _ = replaced_here(store, scope).kept(done["summary"])
        store.stories.summarize(scope, kept)
    elif "anchored" in done:
        store.stories.reword(scope, done["anchored"], "")
    elif "released" in done:
        _anchor_again(store, scope, verdict, done["released"])
    elif "held" in done:
        _position_again(store, scope, done["held"], done["before"])
    else:
        store.stories.set_state(scope, done["state"], done["before"])


def _anchor_again(store: WriteStore, scope: Scope, verdict: Verdict, id: int) -> None:
    anchor = next((one for one in store.stories.of(scope).released if one.id == id), None)
    if anchor is None or replaced_here(store, scope).holds(anchor.text):
        raise InputError(
            f"verdict {verdict.id}: anchor {id} was corrected or forgotten since, so it cannot be "
            "held again"
        )
    store.stories.hold_anchor(scope, id)


def _position_again(
    store: WriteStore, scope: Scope, subject: str, before: Mapping[str, Any] | None
) -> None:
    store.stories.drop(scope, subject)
    if before is not None:
        position = Position(**before)
        if not replaced_here(store, scope).in_position(position):
            store.stories.hold(scope, position)


def _part(done: Mapping[str, Any]) -> tuple[str, Any] | None:
    """Which part of the story an undo record puts back."""
    for key, kind in _KINDS.items():
        if key in done:
            return kind, None if kind == "summary" else done[key]
    return None


def _what(done: Mapping[str, Any]) -> str:
    part = _part(done)
    return "part" if part is None else part[0]
