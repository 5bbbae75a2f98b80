"""The strategies ``append-only``, ``managed`` and ``seats``: facts first, then recent turns."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from palimpsest.config import Config
from palimpsest.context.assemble import assemble, exactly
from palimpsest.context.block import Block
from palimpsest.context.facts import Facts, rules_tokens, seat, within
from palimpsest.context.fit import Scale, fit, require
from palimpsest.context.recent import as_said, optional
from palimpsest.context.seat_lines import take_seats
from palimpsest.context.settings import overridden
from palimpsest.context.skeleton import skeleton
from palimpsest.context.story_lines import story_lines
from palimpsest.language.redact_text import marked
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
            view, ask, counter, settings, choose=partial(seat, current=False), edit=as_said,
            strategy=render(spec_of("append-only", self)), redacted={},
        )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Managed:
    """Current facts only, and turns without what was corrected or forgotten."""

    quota: int | None = None
    order: str | None = None
    stale: str | None = None
    """``strict``, or ``allow-if-marked`` for questions about the past."""

    @property
    def memory(self) -> bool:
        return True

    def build(self, view: View, ask: Ask, counter: Counter, config: Config) -> Request:
        """Build the request; raises RequiredContextTooLarge."""
        settings = overridden(config, quota=self.quota, order=self.order, stale=self.stale)
        return _build_managed(
            view, ask, counter, settings, choose=partial(seat, current=True),
            strategy=render(spec_of("managed", self)),
        )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Seats:
    """The memories that a question needs: a limited number of seats, each with its reason."""

    limit: int | None = None
    quota: int | None = None
    semantic: int | None = None
    share: float | None = None
    embedder: str | None = None
    """The Spec of who embeds; ``None`` for that of the settings."""

    @property
    def memory(self) -> bool:
        return True

    @property
    def recalls(self) -> bool:
        """True: it asks for the scores of memories for the question."""
        return True

    def build(self, view: View, ask: Ask, counter: Counter, config: Config) -> Request:
        """Build the request; raises RequiredContextTooLarge, for rules alone too."""
        settings = overridden(
            config, quota=self.quota, limit=self.limit, semantic=self.semantic, share=self.share
        )
        return _build_managed(
            view, ask, counter, settings, choose=take_seats,
            strategy=render(spec_of("seats", self)),
        )  # fmt: skip


Choose = Callable[[View, Counter, Config], Facts]
"""Picks the memories of a request, each with its line and its reason."""


def _build_managed(
    view: View, ask: Ask, counter: Counter, config: Config, *, choose: Choose, strategy: str
) -> Request:
    """Build with the turns without what was corrected or forgotten."""
    redacted: dict[int, int] = {}

    def edit(turn: Turn) -> Turn:
        spans = view.redactions(turn.number)
        if not spans:
            return turn
        redacted[turn.number] = len(spans)
        if config.context.stale == "allow-if-marked":
            told = config.context
            return marked(turn, spans, told.redaction_marker, told.replaced_marker)
        return without_spans(turn, spans, config.context.redaction_marker)

    return _build(
        view, ask, counter, config, choose=choose, edit=edit, strategy=strategy, redacted=redacted
    )


def _build(
    view: View,
    ask: Ask,
    counter: Counter,
    config: Config,
    *,
    choose: Choose,
    edit: Callable[[Turn], Turn],
    strategy: str,
    redacted: dict[int, int],
) -> Request:
    limit = ask.budget.input

    def attempt(whole: bool) -> Request:
        bones = skeleton(ask, view.open_turns(), config.context, edit)
        scale = Scale(bones, counter, whole=whole)
        require(scale, limit)
        facts = within(scale, choose(view, counter, config), config, limit)
        block = _with_story(scale, facts.block(config), story_lines(view, counter, config), limit)
        fitted = fit(scale, optional(view, bones.required(), edit), block, limit)
        request = assemble(
            scale, fitted, view, ask, strategy=strategy, memories=facts.entries, block=block,
            block_is="facts", redacted=redacted,
        )  # fmt: skip
        request = _story_apart(scale, request, facts.block(config), block)
        return _rules_apart(request, rules_tokens(scale, facts, config))

    return exactly(attempt, counter)


def _with_story(scale: Scale, facts: Block, lines: Sequence[str], limit: int) -> Block:
    """The block with as many of the story's lines behind the facts as the budget holds."""
    for many in range(len(lines), 0, -1):
        block = dataclasses.replace(facts, lines=(*facts.lines, *lines[:many]))
        if scale.weigh((), block) <= limit:
            return block
    return facts


def _story_apart(scale: Scale, request: Request, facts: Block, block: Block) -> Request:
    """Count the anchors and the summary apart from the facts."""
    if len(block.lines) == len(facts.lines):
        return request
    own = scale.weigh((), block) - scale.weigh((), facts)
    parts = dict(request.ledger.parts)
    parts |= {"summary": own, "facts": parts["facts"] - own}
    return dataclasses.replace(request, ledger=dataclasses.replace(request.ledger, parts=parts))


def _rules_apart(request: Request, rules: int) -> Request:
    """Count the rules, which are required, apart from the facts."""
    if not rules:
        return request
    parts = dict(request.ledger.parts)
    parts |= {"rules": rules, "facts": parts["facts"] - rules}
    return dataclasses.replace(request, ledger=dataclasses.replace(request.ledger, parts=parts))
