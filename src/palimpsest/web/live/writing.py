"""What the pages of the write path show: verdicts, the story, and how the store is."""

from __future__ import annotations

from dataclasses import dataclass

from palimpsest.conversation import Conversation
from palimpsest.engine import Memory
from palimpsest.indexes import Status
from palimpsest.proposals import DayTokens, Reflection, Story, Verdict
from palimpsest.store.counting import Turnout
from palimpsest.store.requests import StoredRequest
from palimpsest.web.live.paging import Paged, paged

_NEWEST = 200
"""Requests that are looked through for degraded ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    """The verdicts of the write path, newest first, and what waits for a person."""

    verdicts: Paged[Verdict]
    waiting: tuple[Verdict, ...]
    rules: tuple[str, ...]
    """Every rule that decided here, to filter by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldStory:
    """What reflection keeps of a conversation besides its memories."""

    story: Story


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """How a conversation stands: what waits to be read, what failed, what was degraded."""

    turnout: Turnout
    degraded: tuple[StoredRequest, ...]
    """The degraded ones of the newest requests, with why."""
    pending: int
    failed: tuple[Reflection, ...]
    tokens: int
    """Tokens that reflection took, question and answer."""
    today: DayTokens
    embedder: str
    """The Spec that recall uses; empty where it goes by words alone."""
    index: Status
    scrubbed: bool


def verdicts(talk: Conversation, *, action: str, rule: str, page: int) -> Verdicts:
    """The verdicts that fit, newest first."""
    found = talk.verdicts()
    fitting = [
        verdict for verdict in reversed(found)
        if (not action or verdict.action == action) and (not rule or verdict.rule == rule)
    ]  # fmt: skip
    return Verdicts(
        verdicts=paged(fitting, page), waiting=talk.review(),
        rules=tuple(sorted({verdict.rule for verdict in found})),
    )  # fmt: skip


def story(talk: Conversation) -> ToldStory:
    """The summary, the anchors, the positions and the state."""
    return ToldStory(story=talk.story())


def health(memory: Memory, talk: Conversation) -> Health:
    """How the conversation stands, and the indexes of the store."""
    read = talk.reflections()
    return Health(
        turnout=talk.turnout(),
        degraded=tuple(one for one in talk.requests(_NEWEST) if one.degraded),
        pending=sum(one.status == "pending" for one in read),
        failed=tuple(one for one in read if one.status == "failed"),
        tokens=sum(one.usage.prompt_tokens + one.usage.answer_tokens for one in read),
        today=talk.day_tokens(), embedder=memory.config.recall.embedder, index=memory.index_status(),
        scrubbed=memory.scrubbed,
    )  # fmt: skip
