"""What the pages of the write path show: verdicts, the story, and how the store is."""

from __future__ import annotations

from dataclasses import dataclass

from palimpsest.conversation import Conversation
from palimpsest.engine import Memory
from palimpsest.errors import InputError, NotFound
from palimpsest.indexes import Status
from palimpsest.language.content_words import content_words
from palimpsest.proposals import DayTokens, Reflection, Story, Verdict
from palimpsest.store.counting import Turnout
from palimpsest.store.requests import StoredRequest
from palimpsest.types import Memory as Row
from palimpsest.types import Turn
from palimpsest.web.live.paging import Paged, paged
from palimpsest.why_text import matching

_NEWEST = 200
"""Requests that are looked through for degraded ones."""
FORGETS = ("ambiguous-forget", "unresolved-forget")
NEED_MEMORY = (*FORGETS, "ambiguous-correction")
"""The rules whose verdicts are accepted only with the memory that a person means."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    """The verdicts of the write path, newest first, and what waits for a person."""

    verdicts: Paged[Verdict]
    waiting: tuple[Verdict, ...]
    rules: tuple[str, ...]
    """Every rule that decided here, to filter by."""
    chosen: tuple[str, ...] = NEED_MEMORY
    """The rules whose verdicts lead to a choice of memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A verdict that waits until a person says which memory it means."""

    verdict: Verdict
    said: tuple[Turn, ...]
    """The turn that asked, where it is still there."""
    forgets: bool
    """Whether the memory that is chosen goes for ever; else the proposal replaces it."""
    memories: Paged[Row]
    """What may be meant, the likeliest first."""


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


def unsettled(talk: Conversation, id: int) -> Verdict:
    """A verdict that waits for a choice of memory; raises NotFound and InputError."""
    verdict = next((one for one in talk.review() if one.id == id), None)
    if verdict is None:
        if any(one.id == id for one in talk.verdicts()):
            raise InputError(f"verdict {id} does not wait for anybody")
        raise NotFound(f"verdict {id} is not one of this conversation")
    if verdict.rule not in NEED_MEMORY:
        raise InputError(f"verdict {id} ({verdict.rule}) needs no choice: accept or dismiss it")
    return verdict


def choice(talk: Conversation, id: int, *, query: str, page: int) -> Choice:
    """What a waiting verdict may mean; raises NotFound and InputError."""
    verdict = unsettled(talk, id)
    said = talk.turns(first=verdict.turn, last=verdict.turn)
    rows = talk.current()
    fitting = matching(rows, query) if query.strip() else rows
    words = content_words(" ".join((verdict.text, *(turn.user for turn in said))))
    ranked = sorted(
        fitting,
        key=lambda row: (
            row.id != verdict.other,
            -len(words & content_words(f"{row.text} {row.attribute or ''}")),
            -row.id,
        ),
    )
    return Choice(
        verdict=verdict, said=said, forgets=verdict.rule in FORGETS, memories=paged(ranked, page)
    )


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
