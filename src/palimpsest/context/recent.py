"""The strategy ``recent``: the newest complete turns that fit, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from palimpsest.config import Config
from palimpsest.context.assemble import assemble, exactly
from palimpsest.context.fit import Scale, fit, require
from palimpsest.context.ledger import no_memories
from palimpsest.context.skeleton import settled, skeleton
from palimpsest.ledger import Request
from palimpsest.protocols import Counter, View
from palimpsest.registry import render, spec_of
from palimpsest.types import Ask, Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Recent:
    """Newest complete turns first, stopping at the first that does not fit."""

    @property
    def memory(self) -> bool:
        return False

    def build(self, view: View, ask: Ask, counter: Counter, config: Config) -> Request:
        """Build the request; raises RequiredContextTooLarge."""

        def attempt(whole: bool) -> Request:
            bones = skeleton(ask, view.open_turns(), config.context, as_said)
            scale = Scale(bones, counter, whole=whole)
            require(scale, ask.budget.input)
            fitted = fit(scale, optional(view, bones.required(), as_said), None, ask.budget.input)
            return assemble(
                scale, fitted, view, ask, strategy=render(spec_of("recent", self)),
                memories=no_memories(view.first_memory(), view.last_memory()),
            )  # fmt: skip

        return exactly(attempt, counter)


def as_said(turn: Turn) -> Turn:
    """The turn unchanged: what the baselines send."""
    return turn


def optional(view: View, required: frozenset[int], edit: Callable[[Turn], Turn]) -> Iterator[Turn]:
    """The turns that may be left out, newest first, each in the form in which it is sent."""
    return (settled(edit(turn)) for turn in view.turns() if turn.number not in required)
