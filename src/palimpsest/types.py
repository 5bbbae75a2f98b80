"""The plain records that every layer passes: frozen, slotted, keyword-only.

They hold no behaviour beyond reading themselves. Texts are kept as they were given; what
we do not interpret is kept as canonical JSON, so records are hashable and sent unchanged.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from palimpsest.errors import InputError

Role = Literal["system", "user", "assistant", "tool"]
ROLES: tuple[Role, ...] = ("system", "user", "assistant", "tool")

PartKind = Literal["text", "media", "thinking", "tool_use", "tool_result", "other", "gone"]
"""``gone`` keeps the place of a part that a forget took as a whole; it is never sent."""
LabelOp = Literal["remember", "correct", "forget"]
Kind = Literal["fact", "preference", "promise", "episode", "rule"]
KINDS: tuple[Kind, ...] = ("fact", "preference", "promise", "episode", "rule")
Reach = Literal["conversation", "global"]
"""A global memory serves every conversation of its user."""
AskedBy = Literal["user", "application"]
Policy = Literal["append-only", "managed"]
POLICIES: tuple[Policy, ...] = ("append-only", "managed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Whose conversation: every read and write names both, and both match exactly."""

    user: str
    conversation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of a part-list content; ``json`` is the part exactly as it was given."""

    kind: PartKind
    json: str
    text: str | None = None
    """What a person wrote or read in it; ``None`` for media, thinking and calls."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One call that an assistant message asks for; ``json`` is the call as given."""

    id: str
    name: str
    json: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One chat message in the OpenAI shape.

    ``content`` is the text, that of plain text parts joined. Where a part is anything else,
    ``content`` is ``None`` and ``parts`` holds the list as it was given.
    """

    role: Role
    content: str | None = None
    parts: tuple[Part, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    name: str | None = None
    extra: str = ""
    """Canonical JSON of keys that we do not interpret; they are passed on."""

    def texts(self) -> tuple[str, ...]:
        """The texts that people or tools wrote: one per text part, never thinking or media."""
        if self.content is not None:
            return (self.content,)
        return tuple(part.text for part in self.parts if part.text is not None)

    def as_dict(self) -> dict[str, Any]:
        """The message as a chat API takes it."""
        parts = [json.loads(part.json) for part in self.parts if part.kind != "gone"]
        empty = "" if self.parts and not self.tool_calls else self.content
        data: dict[str, Any] = {"role": self.role, "content": parts or empty}
        if self.tool_calls:
            data["tool_calls"] = [json.loads(call.json) for call in self.tool_calls]
        if self.tool_call_id is not None:
            data["tool_call_id"] = self.tool_call_id
        if self.name:
            data["name"] = self.name
        return data | self.others()

    def others(self) -> dict[str, Any]:
        """The keys that we do not interpret; one that a forget emptied is none."""
        found = json.loads(self.extra) if self.extra else {}
        return {key: value for key, value in found.items() if value is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool schema that is offered to the model; ``json`` is the schema as given."""

    name: str
    json: str

    def as_dict(self) -> dict[str, Any]:
        """The schema as a chat API takes it."""
        return dict(json.loads(self.json))


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A user's words with everything up to the next user's words; one unit, never split."""

    number: int
    """1, 2, 3 ... within its conversation; never reused."""
    messages: tuple[Message, ...]

    @property
    def open(self) -> bool:
        """True while the model owes an answer: no assistant text came after the last message."""
        last = self.messages[-1]
        return last.role != "assistant" or bool(calls_of(last))

    @property
    def has_calls(self) -> bool:
        """True where an assistant message of this turn calls a tool."""
        return any(calls_of(message) for message in self.messages)

    @property
    def user(self) -> str:
        """The user's text of the turn, its parts joined by a newline."""
        return "\n".join(t for m in self.messages if m.role == "user" for t in m.texts())

    @property
    def assistant(self) -> str:
        """The assistant's text of the turn, its parts joined by a newline."""
        return "\n".join(t for m in self.messages if m.role == "assistant" for t in m.texts())


def calls_of(message: Message) -> tuple[str, ...]:
    """The ids of the tool calls that a message makes, in either of the two usual shapes."""
    if message.role != "assistant":
        return ()
    ids = [call.id for call in message.tool_calls]
    ids += [str(json.loads(p.json).get("id", "")) for p in message.parts if p.kind == "tool_use"]
    return tuple(ids)


def results_of(message: Message) -> tuple[str, ...]:
    """The ids of the tool calls that a message answers, in either of the two usual shapes."""
    if message.role == "tool":
        return (message.tool_call_id or "",)
    found = [p for p in message.parts if p.kind == "tool_result"]
    return tuple(str(json.loads(part.json).get("tool_use_id", "")) for part in found)


def spoken(message: Message) -> bool:
    """True for words of the user that answer no tool call."""
    return message.role == "user" and not results_of(message)


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """What perfect extraction would do at a turn: remember, correct or forget."""

    op: LabelOp
    attribute: str
    value: str | None = None
    """The exact value, where the statement does not show it plainly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One remembered statement. ``superseded_by`` is ``None`` while it is current."""

    id: int
    """Counts from 1 per user and is never reused."""
    scope: Scope
    text: str
    source: str
    """Where it came from, as shown in a request: ``turn-5``, ``api``, ..."""
    attribute: str | None = None
    value: str | None = None
    """The exact value, given or read from the statement; ``None`` where there is none."""
    turn: int | None = None
    """The turn whose words it quotes, where it quotes one."""
    created_at: str = ""
    """ISO 8601, UTC."""
    superseded_by: int | None = None
    superseded_at: str | None = None
    seen: int = 1
    """How many times it was stated; absorbed repetitions raise it."""
    kind: Kind = "fact"
    reach: Reach = "conversation"
    pinned: bool = False
    """Marked by a person: it comes before what was only found."""
    hedged: bool = False
    """The user said it with a reservation ("I think", "maybe")."""
    guessed: bool = False
    """The attribute is an extractor's guess, so it alone replaces nothing."""
    confidence: float | None = None
    """As the extractor gave it; it filters nothing by default."""
    valid_from: str | None = None
    valid_until: str | None = None
    """ISO 8601, UTC, exclusive; ``None`` while no end was said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """What a memory is beside its words and its source; see ``Memory`` for each."""

    kind: Kind = "fact"
    reach: Reach = "conversation"
    pinned: bool = False
    hedged: bool = False
    guessed: bool = False
    confidence: float | None = None
    valid_from: str | None = None
    valid_until: str | None = None


PLAIN = Traits()
"""A fact of its conversation, said plainly, without an end."""

RedactionReason = Literal["corrected", "forgotten", "pending"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Redaction:
    """A span of a turn that a request must not carry.

    ``start`` and ``end`` are character offsets into text ``text`` of message ``message`` of the
    turn (see ``language/message_text.py``). A forgotten span has no length: only its place remains.
    """

    turn: int
    message: int
    text: int
    start: int
    end: int
    reason: RedactionReason


@dataclass(frozen=True, slots=True, kw_only=True)
class Deletion:
    """The record that a forget leaves: never the text, never the value."""

    id: int
    attribute: str | None
    reason: str
    rows: int
    """How many memory rows went: the current one and the statements it had replaced."""
    created_at: str
    asked_by: AskedBy = "application"
    turn: int | None = None
    """The turn that asked for it, where one did."""
    reach: Reach = "conversation"
    """Global: it was erased from every conversation of its user."""
    counts: tuple[tuple[str, int], ...] = ()
    """How many of each kind lost something: ``turns``, ``spans``, ``memories`` and so on."""
    values: int = 0
    """How many values, and statements without one, are known again by their keyed hashes."""
    lifted: int = 0
    """How many of them the user has said again since."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownBy:
    """What a forgotten value, or a statement without one, is known again by."""

    keys: frozenset[str]
    words: int
    """The most words of a text that says the value; of a statement how many keys it has."""
    language: str | None = None
    """Of a statement without a value: a clause says it that holds all its keys."""
    mine: bool = False
    """It speaks of the user."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sought:
    """The most words of a forgotten value, and the languages of statements that have none."""

    words: int
    languages: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.words or self.languages)


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgottenMatch:
    """A key of a text that stands for a forgotten value, or for a word of a statement."""

    key: str
    home: int
    deletion: int
    part: int
    until: int
    """The last turn of the place that was said before the forget; 0 where no place was asked for."""
    needs: int = 1
    """How many keys a text must hold."""
    language: str | None = None
    """Of a statement without a value."""
    mine: bool = False


ResolutionRule = Literal["same-text", "newer-statement"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """One decision of consolidation: which row stayed, which was retired, and why."""

    id: int
    kept: int
    retired: int
    rule: ResolutionRule
    created_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Storage:
    """What a store holds for one scope, in rows."""

    stored_rows: int
    current_facts: int
    deletion_records: int
    resolutions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """The tokens of one call: ``window`` holds the request, the answer and a margin."""

    window: int
    answer: int
    margin: int = 0

    def __post_init__(self) -> None:
        for name, least in (("window", 1), ("answer", 0), ("margin", 0)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise InputError(f"budget.{name}: {value!r} is not a whole number from {least}")
        if self.input < 1:
            raise InputError(
                f"budget: window {self.window} leaves no input space after answer {self.answer} "
                f"and margin {self.margin}; raise the window or lower the reserves"
            )

    @property
    def input(self) -> int:
        """The tokens that a request may take."""
        return self.window - self.answer - self.margin


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """The required part of a request, and its budget."""

    question: Message | None
    """``None`` continues the newest turn, after a tool result for instance."""
    budget: Budget
    instructions: Message | None = None
    tools: tuple[Tool, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """A named thing with its parameters; its printed form is its identity."""

    name: str
    params: tuple[tuple[str, int | float | bool | str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """What a tokenizer's chat template can do, and how its counts behave."""

    name: str
    fingerprint: str
    """Changes whenever a count could change."""
    additive: bool
    """True when a request counts as the sum of its units."""
    proven: bool = True
    """False when ``additive`` was only probed: then each request is rendered whole once."""
    system_role: bool = True
    alternates: bool = False
    """True when the template refuses neighbours of one role."""
    estimated: bool = False
    markers: tuple[str, ...] = ()
    """Control strings of the vocabulary; quoted text must never carry one raw."""


def canonical(value: Mapping[str, Any] | Sequence[Any]) -> str:
    """Canonical JSON: key order kept as given, no spaces, Unicode unescaped."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
