"""The strategy ``notes``: recent turns, and sentences quoted from the turns that are removed.

What is quoted is the extractor's choice, by default the sentences with a cue word.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from palimpsest.config import Config
from palimpsest.context.assemble import assemble, exactly
from palimpsest.context.cues import Cues, cue_pattern, spoken
from palimpsest.context.extraction import Quote, extracted, resolved
from palimpsest.context.fit import Fitted, Scale, fit, in_blocks, require
from palimpsest.context.fit_notes import fitting
from palimpsest.context.ledger import no_memories
from palimpsest.context.recent import as_said, optional
from palimpsest.context.settings import overridden
from palimpsest.context.skeleton import Skeleton, skeleton
from palimpsest.ledger import Request
from palimpsest.protocols import Counter, NoteExtractor, View
from palimpsest.registry import render, spec_of
from palimpsest.types import Ask, Turn

__all__ = ["Notes", "Quote", "cue_pattern", "fitting", "quotes", "spoken"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Notes:
    """Keeps ``reserve`` tokens free of turns for what ``extractor`` quotes."""

    reserve: int | None = None
    extractor: str | NoteExtractor | None = None
    """A Spec text or any function with that shape; ``None`` is the one of the settings."""
    step: int | None = None

    @property
    def memory(self) -> bool:
        return False

    def build(self, view: View, ask: Ask, counter: Counter, config: Config) -> Request:
        """Build the request; raises RequiredContextTooLarge."""
        return self.noted(view, ask, counter, config).request

    def noted(self, view: View, ask: Ask, counter: Counter, config: Config) -> Noted:
        """Build the request, and keep the texts of its notes beside its ledger."""
        settings = overridden(config, reserve=self.reserve, step=self.step)
        extractor = resolved(self.extractor or settings.notes.extractor)
        found: list[Quote] = []

        def attempt(whole: bool) -> Request:
            limit = ask.budget.input
            bones = skeleton(ask, view.open_turns(), settings.context, as_said)
            scale = Scale(bones, counter, whole=whole)
            require(scale, limit)
            turns = optional(view, bones.required(), as_said)
            fitted = fit(scale, turns, None, limit - settings.notes.reserve)
            fitted = in_blocks(fitted, settings.notes.step)
            gone = removed(fitted, turns)
            found[:] = extracted(
                extractor, gone, shown(fitted, bones, gone), settings, counter.frame.markers
            )
            block, entries = fitting(scale, fitted, found, settings, limit)
            return assemble(
                scale, fitted, view, ask, strategy=render(spec_of("notes", self)),
                memories=no_memories(view.first_memory(), view.last_memory()),
                notes=entries, block=block, block_is="notes",
            )  # fmt: skip

        request = exactly(attempt, counter)
        return Noted(request=request, quotes=tuple(found))


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted:
    """A request with what was quoted or could have been, in the order of its ledger."""

    request: Request
    quotes: tuple[Quote, ...]


def removed(fitted: Fitted, unread: Iterator[Turn]) -> list[Turn]:
    """The turns that are left out, oldest first."""
    left_out = [*fitted.unusable, *fitted.stepped, *fitted.passed, *unread]
    return sorted(left_out, key=lambda turn: turn.number)


def shown(fitted: Fitted, bones: Skeleton, gone: Sequence[Turn]) -> list[Turn]:
    """The turns that the request holds, oldest first; the question is the last of them."""
    held = [*fitted.kept, *bones.pinned, *((bones.continued,) if bones.continued else ())]
    held.sort(key=lambda turn: turn.number)
    if bones.continued is None:
        last = max((turn.number for turn in (*held, *gone)), default=0)
        held.append(Turn(number=last + 1, messages=bones.tail))
    return held


def quotes(turns: Iterable[Turn], config: Config, markers: Sequence[str]) -> list[Quote]:
    """The sentences of ``turns`` that hold a cue, in conversation order, each once."""
    return extracted(Cues(), list(turns), (), config, markers)
