"""The strategies ``append-only`` and ``managed``: facts first, then recent turns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from palimpsest.config import Config
from palimpsest.context.assemble import assemble, exactly
from palimpsest.context.facts import seat, within
from palimpsest.context.fit import Scale, fit, require
from palimpsest.context.recent import as_said, optional
from palimpsest.context.settings import overridden
from palimpsest.context.skeleton import skeleton
from palimpsest.language.redact_text import redacted as without_spans
from palimpsest.ledger import Request
from palimpsest.protocols import Counter, View
from palimpsest.registry import render, spec_of
from palimpsest.types import Ask, Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class AppendOnly:
    """Every fact ever stated, never changed or removed: the baseline that leaks."""

    quota: int | None = None
    order: str | None = None

    @property
    def memory(self) -> bool:
        return True

    def build(self, view: View, ask: Ask, counter: Counter, config: Config) -> Request:
        """Build the request; raises RequiredContextTooLarge."""
        settings = overridden(config, quota=self.quota, order=self.order)
        return _build(
            view, ask, counter, settings, current=False, edit=as_said,
            strategy=render(spec_of("append-only", self)), redacted={},
        )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Managed:
    """Current facts only, and turns without what was corrected or forgotten."""

    quota: int | None = None
    order: str | None = None

    @property
    def memory(self) -> bool:
        return True

    def build(self, view: View, ask: Ask, counter: Counter, config: Config) -> Request:
        """Build the request; raises RequiredContextTooLarge."""
        settings = overridden(config, quota=self.quota, order=self.order)
        redacted: dict[int, int] = {}

        def edit(turn: Turn) -> Turn:
            spans = view.redactions(turn.number)
            if not spans:
                return turn
            redacted[turn.number] = len(spans)
            return without_spans(turn, spans, settings.context.redaction_marker)

        return _build(
            view, ask, counter, settings, current=True, edit=edit,
            strategy=render(spec_of("managed", self)), redacted=redacted,
        )  # fmt: skip


def _build(
    view: View,
    ask: Ask,
    counter: Counter,
    config: Config,
    *,
    current: bool,
    edit: Callable[[Turn], Turn],
    strategy: str,
    redacted: dict[int, int],
) -> Request:
    limit = ask.budget.input

    def attempt(whole: bool) -> Request:
        bones = skeleton(ask, view.open_turns(), config.context, edit)
        scale = Scale(bones, counter, whole=whole)
        require(scale, limit)
        facts = within(scale, seat(view, counter, config, current=current), config, limit)
        block = facts.block(config)
        fitted = fit(scale, optional(view, bones.required(), edit), block, limit)
        return assemble(
            scale, fitted, view, ask, strategy=strategy, memories=facts.entries, block=block,
            block_is="facts", redacted=redacted,
        )  # fmt: skip

    return exactly(attempt, counter)
