"""What an extractor sees of a conversation, what it proposes, and what the code decided.

Invariant: a proposal quotes the user's own words, and every proposal gets one verdict.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from palimpsest.types import Kind, LabelOp, Memory, Reach, Turn

Action = Literal["add", "merge", "supersede", "forget", "reject", "review"]
ACTIONS: tuple[Action, ...] = ("add", "merge", "supersede", "forget", "reject", "review")


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """The user's words that a proposal rests on: a span of a text of a message of its turn."""

    message: int
    text: int
    """The index of the text in the message (see ``language/message_text.py``)."""
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """One memory that an extractor would keep, correct or forget."""

    text: str
    """The wording to keep; for a forget, the words that say what goes."""
    quote: Quote
    op: LabelOp = "remember"
    kind: Kind = "fact"
    reach: Reach = "conversation"
    attribute: str | None = None
    value: str | None = None
    valid_from: str | None = None
    valid_until: str | None = None
    """ISO 8601, UTC, exclusive."""
    hedged: bool = False
    confidence: float | None = None
    targets: tuple[int, ...] = ()
    """The ids of the current memories that a correction or a forget means, where known.

    -1 is what the first proposal of the same reading becomes, -2 the second, and so on.
    """
    asks: bool = False
    """A forget that may be none ("will you forget this?"): it waits for a person."""
    wide: bool = False
    """A forget of everything about something: all its targets are meant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """What the assistant holds about a subject, and the sentence that justifies it."""

    subject: str
    text: str
    justification: str
    validated_turn: int = 0
    """The turn whose evidence last supported it; places go to what is younger."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """A change of one named state field; clamped in code."""

    name: str
    step: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """A fact that the summary must not lose; held by the code."""

    id: int
    text: str
    turn: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnchorRemoval:
    """A model's wish to drop an anchor; without a reason it has no effect."""

    id: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasedAnchor:
    """An anchor that was let go, and the reason that was given."""

    id: int
    text: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """What reflection keeps of a conversation besides its memories."""

    summary: str = ""
    anchors: tuple[Anchor, ...] = ()
    released: tuple[ReleasedAnchor, ...] = ()
    """Those that are no longer held; nothing is sent of them."""
    positions: tuple[Position, ...] = ()
    state: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What an extractor is shown: one turn, what came before it, and what is known."""

    turn: Turn
    unread: int = 0
    """The index of its first message that was not read before."""
    before: tuple[Turn, ...] = ()
    """The turns just before it, oldest first, without what was corrected or forgotten."""
    memories: tuple[Memory, ...] = ()
    """The current memories that the conversation can see, oldest first."""
    replaced: tuple[Memory, ...] = ()
    """The replaced memories that it can see, oldest first: "my old job" means one of them."""
    story: Story = field(default_factory=Story)
    said_at: str = ""
    """When the turn was said, ISO 8601, UTC: "tomorrow" is counted from it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """The tokens that a reflection cost."""

    calls: int = 0
    prompt_tokens: int = 0
    answer_tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class DayTokens:
    """The tokens that a user's readings took today, and how many they may take."""

    used: int
    most: int
    """``[reflection] day_tokens``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """Everything that one reading of a turn proposes; nothing of it is decided."""

    proposals: tuple[Proposal, ...] = ()
    summary: str | None = None
    """The whole new summary; ``None`` leaves the old one."""
    anchors: tuple[str, ...] = ()
    """Facts to anchor."""
    dropped_anchors: tuple[AnchorRemoval, ...] = ()
    positions: tuple[Position, ...] = ()
    deltas: tuple[Delta, ...] = ()
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What became of one proposal, and by which named rule."""

    id: int
    """Counts from 1 per user and is never reused."""
    turn: int
    action: Action
    rule: str
    text: str
    """The proposed words; erased when what they say is forgotten."""
    extractor: str
    """The printed Spec of what proposed it."""
    memory: int | None = None
    """The row that was added, merged into, or superseded by this."""
    other: int | None = None
    """The row that was superseded, or the one that a conflict is with."""
    score: float | None = None
    """The dedup score against ``other``, where one decided."""
    created_at: str = ""
    settled: str | None = None
    """``undone``, ``accepted`` or ``dismissed``, where a person said so."""
    candidates: tuple[int, ...] = ()
    """The memories that a request to forget may mean; withheld from requests while it waits."""


ReflectionStatus = Literal["pending", "done", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reflection:
    """The reading of one turn: how it stands, what it cost and what became of it."""

    turn: int
    status: ReflectionStatus
    read: int = 0
    """How many messages of the turn were read so far."""
    attempts: int = 0
    error: str = ""
    """Why it failed, without any text of the conversation."""
    extractor: str = ""
    usage: Usage = field(default_factory=Usage)
    verdicts: tuple[Verdict, ...] = ()
    created_at: str = ""
    finished_at: str | None = None
