"""What a correction and a forget do to the story, and what a new story may not tell again.

A summary and an anchor lose the whole sentence that carries what is gone: the memory, or
another anchor, holds the current fact. A position goes as a whole, for its evidence is gone.
Invariant: no sentence is kept in part, and no replaced statement comes back through a
summary that a model wrote later.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Protocol

from palimpsest.language.occurrences import Needles, Span, folded
from palimpsest.language.retold import Retold
from palimpsest.language.whole_sentences import without_sentences
from palimpsest.proposals import Position
from palimpsest.types import Scope
from palimpsest.write.parts import WriteStore
from palimpsest.write.redaction import all_retired, outside, statements, told_by, touched

CORRECTED = "the user has since corrected it"
_FORGOTTEN = "a reason that was forgotten"


@dataclass(frozen=True, slots=True, kw_only=True)
class Gone:
    """What no text of a story may carry, and the current statements that protect it."""

    needles: Needles
    told: Retold
    """The statements without a value."""
    protected: Callable[[], Needles]

    def found(self, text: str) -> list[Span]:
        """Where a text carries it."""
        told = self.told.spans(text)
        left = outside(told, self.protected().spans(folded(text))) if told else []
        return [*touched(text, self.needles, self.protected), *left]

    def kept(self, text: str) -> tuple[str, tuple[str, ...]]:
        """A text without its sentences that carry it, and those sentences."""
        return without_sentences(text, self.found(text))

    def holds(self, text: str) -> bool:
        """True where a text carries it."""
        return bool(self.found(text))

    def in_position(self, position: Position) -> bool:
        """True where anything of a position carries it."""
        return self.holds(f"{position.subject}\n{position.text}\n{position.justification}")


def replaced_here(store: WriteStore, scope: Scope) -> Gone:
    """All that was replaced of what a conversation can see."""
    rows = store.memories.replaced(scope)
    current = store.memories.visible(scope)
    said = [*rows, *store.wordings.of(rows, scope)] if rows else []
    items = all_retired(said, current, until=0)
    return Gone(
        needles=Needles(needle for item in items for needle in item.needles),
        told=told_by(items, current), protected=cache(lambda: statements(current)),
    )  # fmt: skip


def correct_story(store: WriteStore, scope: Scope, gone: Gone) -> None:
    """What was replaced is no longer told; an anchor on it is released."""
    story = store.stories.of(scope)
    summary, lost = gone.kept(story.summary)
    if lost:
        store.stories.summarize(scope, summary)
    for anchor in story.anchors:
        if gone.holds(anchor.text):
            store.stories.release(scope, anchor.id, CORRECTED)
    for position in filter(gone.in_position, story.positions):
        store.stories.drop(scope, position.subject)


def hold_again(store: WriteStore, scope: Scope) -> None:
    """After an undo: anchors that a correction released, where it holds no longer."""
    released = [one for one in store.stories.of(scope).released if one.reason == CORRECTED]
    if not released:
        return
    gone = replaced_here(store, scope)
    for anchor in released:
        if not gone.holds(anchor.text):
            store.stories.hold_anchor(scope, anchor.id)


class Loses(Protocol):
    """What takes something out of the texts of a story."""

    def kept(self, text: str) -> tuple[str, tuple[str, ...]]: ...

    def holds(self, text: str) -> bool: ...

    def in_position(self, position: Position) -> bool: ...


def erase_story(store: WriteStore, scope: Scope, gone: Loses) -> int:
    """What was forgotten leaves summary, anchors, the log of released ones and positions.

    Returns how many of them lost something.
    """
    story, changed = store.stories.of(scope), 0
    summary, lost = gone.kept(story.summary)
    if lost:
        changed += 1
        store.stories.summarize(scope, summary)
    held = [(anchor.id, anchor.text) for anchor in story.anchors]
    for id, text in (*held, *((one.id, one.text) for one in story.released)):
        kept, lost = gone.kept(text)
        if lost:
            changed += 1
            store.stories.reword(scope, id, kept)
    for one in story.released:
        if gone.holds(one.reason):
            store.stories.release(scope, one.id, _FORGOTTEN)
    for position in filter(gone.in_position, story.positions):
        changed += 1
        store.stories.drop(scope, position.subject)
    return changed
