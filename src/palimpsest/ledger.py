"""A finished request and its ledger: where every turn, memory and note of it went.

Invariant: a ledger holds no texts, so it may be kept and looked up for ever.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from palimpsest.types import Budget, Message, Role, Tool

TurnReason = Literal["kept", "open", "no-room", "behind-no-room", "template", "no-match", "step"]
"""Why a turn is in the request or not; see docs/reasons.md."""

MemoryReason = Literal[
    "seated", "no-room", "behind-no-room", "superseded", "not-a-memory-strategy", "ended",
    "no-seat", "forget-pending", "rule", "pinned", "global", "semantic", "lexical", "quota", "catch-up",
]  # fmt: skip
"""Why a memory is in the request or not; ``seated`` is that of a strategy without seats."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """Scores of memories for one question, by id; made before the build, which only reads them."""

    semantic: Mapping[int, float] = field(default_factory=dict)
    """Cosine to the question; only those above the embedder's threshold."""
    lexical: Mapping[int, float] = field(default_factory=dict)
    """Higher is nearer; only memories that share a word with the question."""
    degraded: str = ""
    """Why there are no semantic scores although an embedder is set; empty where all went well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEntry:
    """A run of turns with one fate: numbers ``first`` to ``last`` inclusive."""

    first: int
    last: int
    kept: bool
    reason: TurnReason
    redacted: int = 0
    """How many spans of it were replaced by the redaction marker."""
    tokens: int | None = None
    """Its tokens inside the request, where it is kept and was counted by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryEntry:
    """A run of memories of the scope with one fate: ids ``first`` to ``last`` inclusive."""

    first: int
    last: int
    seated: bool
    reason: MemoryReason
    tokens: int | None = None
    """The tokens of its line, where one memory was considered by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteEntry:
    """One note: the sentence at ``start`` to ``end`` of text ``text`` of a removed turn."""

    turn: int
    role: Role
    message: int
    text: int
    start: int
    end: int
    sent: bool
    """False for a note that was found and left out for want of space."""


PartName = Literal[
    "frame", "instructions", "tools", "turns", "rules", "facts", "summary", "notes", "question"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """Where every turn, memory and note of one request went. It holds no texts.

    Every turn of the conversation lies in exactly one entry of ``turns``, every memory of
    the scope in exactly one entry of ``memories``; both run from oldest to newest.
    """

    turns: tuple[TurnEntry, ...] = ()
    memories: Sequence[MemoryEntry] = ()
    """A tuple, or columns that make an entry when it is asked for."""
    notes: tuple[NoteEntry, ...] = ()
    parts: Mapping[PartName, int] = field(default_factory=dict)
    """Tokens by part; they add up to ``Request.tokens``."""

    def turn(self, number: int) -> TurnEntry | None:
        """The entry that covers a turn; ``None`` for one that came later."""
        return next((e for e in self.turns if e.first <= number <= e.last), None)

    def memory(self, id: int) -> MemoryEntry | None:
        """The entry that covers a memory of the scope; ``None`` for one that came later."""
        place = bisect_right(self.memories, id, key=lambda entry: entry.first) - 1
        found = self.memories[place] if place >= 0 else None
        return found if found is not None and id <= found.last else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One assembled request: exactly what is sent, its count, and its ledger."""

    sent: tuple[Message, ...]
    tools: tuple[Tool, ...]
    tokens: int
    budget: Budget
    strategy: str
    """The printed Spec of the strategy that built it."""
    ledger: Ledger
    estimated: bool = False
    """True when the tokenizer is an estimator: then ``tokens`` is no exact count."""
    id: str = ""
    """Set by the engine, which keeps the ledger under it."""
    degraded: str = ""
    """Why it was built without semantic recall although an embedder is set, if it was."""
    shared_prefix: int | None = 0
    """Tokens of the leading whole messages that the conversation's previous request also
    had; ``None`` where the chat template does not add up and a part has no count."""

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The messages as a chat API takes them: a fresh list at each call."""
        return [message.as_dict() for message in self.sent]
