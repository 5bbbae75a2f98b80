"""A conversation as a strategy sees it: lazy, newest first, without labels.

Reads are consistent with each other inside ``Store.reading``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from palimpsest.candidates import Columns
from palimpsest.ledger import Recall
from palimpsest.proposals import Story
from palimpsest.store.withheld import SUMMARY, laid_over
from palimpsest.types import Memory, Redaction, Scope, Turn

if TYPE_CHECKING:
    from palimpsest.store.store import Store


class StoreView:
    """``protocols.View`` over one scope of a store."""

    def __init__(
        self, store: Store, scope: Scope, recall: Recall | None = None, now: str = ""
    ) -> None:
        self._store = store
        self._scope = scope
        self._recall = recall or Recall()
        self._now = now
        self._held: Mapping[int, Sequence[Redaction]] | None = None

    def turns(self) -> Iterator[Turn]:
        """Turns from the newest to the oldest, as they were said."""
        return self._store.turns.newest(self._scope)

    def open_turns(self) -> Sequence[Turn]:
        """The turns that still wait for an answer, oldest first."""
        return self._store.turns.open(self._scope)

    def first_turn(self) -> int | None:
        """The number of the oldest turn; ``None`` in an empty conversation."""
        return self._store.turns.first(self._scope)

    def redactions(self, turn: int) -> Sequence[Redaction]:
        """The spans of a turn that the managed policy removed, in order."""
        if self._held is None:
            self._held = self._store.withheld.spans(self._scope)
        own = self._store.redactions.of(self._scope, turn)
        return laid_over(own, self._held.get(turn, ()))

    def withheld(self) -> Collection[int]:
        """The memories that a request to forget which waits may mean."""
        return self._store.withheld.memories(self._scope.user)

    def memories(self, *, current: bool) -> Iterator[Memory]:
        """Memories from the highest id to the lowest; only current ones where asked."""
        return self._store.visible.newest(self._scope, current=current)

    def first_memory(self) -> int | None:
        """The lowest id of any memory of the scope; ``None`` where there is none."""
        return self._store.visible.first(self._scope)

    def last_memory(self) -> int | None:
        """The highest id of any memory of the scope; ``None`` where there is none."""
        return self._store.visible.last(self._scope)

    def candidates(self) -> Columns:
        """Every memory that the conversation can see, replaced ones too, without its texts."""
        return self._store.visible.columns(self._scope)

    def rows(self, ids: Sequence[int]) -> Sequence[Memory]:
        """The memories of these ids; one that the conversation cannot see is left out."""
        return self._store.visible.rows(self._scope, ids)

    def now(self) -> str:
        """When the question was asked, ISO 8601, UTC; empty where nothing ends by time."""
        return self._now

    def story(self) -> Story:
        """The summary, anchors, positions and state that reflection keeps, less what is withheld."""
        story, held = self._store.stories.of(self._scope), self._store.withheld.story(self._scope)
        if not held:
            return story
        return dataclasses.replace(
            story, summary="" if SUMMARY in held else story.summary,
            anchors=tuple(anchor for anchor in story.anchors if anchor.id not in held),
        )  # fmt: skip

    def recall(self) -> Recall:
        """The scores that were made for the question before the build began."""
        return self._recall
