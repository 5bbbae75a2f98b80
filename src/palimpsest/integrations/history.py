"""A framework's history on its way into the engine, and the request that takes its place.

Every adapter turns its messages into OpenAI-style dictionaries and comes through here, so they
all build what the core builds. Invariant: what is stored is complete turns, and a turn in which
tools have answered; a question whose model call fails leaves nothing behind.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from palimpsest import asking
from palimpsest import messages as reading
from palimpsest.conversation import Conversation
from palimpsest.engine import Memory
from palimpsest.errors import InputError
from palimpsest.ledger import Request
from palimpsest.protocols import Strategy
from palimpsest.types import Budget, Message, Tool, calls_of, results_of, spoken
from palimpsest.write.held import newest_begins

Given = Mapping[str, Any] | Message


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """How the histories of one application become requests; safe to share between threads."""

    memory: Memory
    budget: Budget
    strategy: str | Strategy = "managed"
    instructions: str | None = None
    """What the model is told first; system messages at the head of a history come after it."""
    tools: Sequence[Mapping[str, Any] | Tool] = ()
    """The schemas that the framework offers the model, so that they are counted."""

    follows: bool = False
    """What is nowhere stored follows what is: for a framework that hands its messages over in
    their order, and no branches."""
    branches: bool = False
    """A history that parts from what is stored goes on in a branch; else it is refused."""

    def __post_init__(self) -> None:
        """Refuse what no request could be built with; raises SpecError and InputError."""
        asking.ask("?", self.budget, self.instructions, self.tools)
        asking.strategy(self.strategy)

    def conversation(self, user: object, id: object) -> Conversation:
        """The conversation of a user; neither has a default, or users would share one."""
        return conversation_of(self.memory, user, id)

    def request(
        self,
        held: Sequence[Given],
        conversation: Conversation,
        *,
        tools: Sequence[Mapping[str, Any] | Tool] | None = None,
        spare: int = 0,
        fresh: bool = False,
    ) -> Request:
        """The request that is sent instead of ``held``, whose news are stored first.

        ``spare`` tokens are kept free for what the framework adds to it; ``fresh`` says that the
        newest answer in it came after the request before. Raises InputError, RequiredContextTooLarge and what else ``Conversation.request`` does.
        """
        head, said = _parted(held)
        at = newest_begins(said)
        asked = said[at:]
        question = _content(asked[0]) if len(asked) == 1 and _plain(asked[0]) else None
        if news := said if question is None else said[:at]:
            again = fresh and question is not None and newest_begins(news) > 0
            conversation = self._stored(news, conversation, fresh=again)
        return conversation.request(
            question, budget=replace(self.budget, margin=self.budget.margin + spare), strategy=self.strategy,
            instructions=_instructions(self.instructions, head),
            tools=self.tools if tools is None else tools,
        )  # fmt: skip

    def observe(
        self, held: Sequence[Given], conversation: Conversation, *, fresh: bool = True
    ) -> Conversation:
        """Store what is new in ``held``; an open turn waits. Returns where it is stored.

        ``fresh`` says that the newest turn was answered just now.
        """
        _, said = _parted(held)
        answered = bool(said) and said[-1].role == "assistant" and not calls_of(said[-1])
        if not answered:
            said = said[: newest_begins(said)]
        if not said:
            return conversation
        return self._stored(said, conversation, fresh=fresh and answered)

    def _stored(self, said: Sequence[Message], talk: Conversation, *, fresh: bool) -> Conversation:
        """The conversation that holds ``said`` now: the one given, or a branch of it."""
        try:
            talk.observe_held(said, fresh=fresh, follows=self.follows)
        except InputError:
            place = self._branch(said, talk, fresh=fresh)
            if place is None:
                raise
            place.observe_held(said, fresh=fresh)
            return place
        return talk

    def _branch(
        self, said: Sequence[Message], talk: Conversation, *, fresh: bool
    ) -> Conversation | None:
        if not self.branches:
            return None
        found = self.memory.exchanges.branch_of(talk.scope, said, fresh=fresh)
        if found is None:
            return None
        return self.memory.conversation(user=found.user, id=found.conversation)


def conversation_of(memory: Memory, user: object, id: object) -> Conversation:
    """The conversation of a user; raises InputError where either names nobody."""
    for name, value in (("user", user), ("conversation", id)):
        if not isinstance(value, str) or not value.strip():
            raise InputError(f"{name}: {value!r} names nobody; a history belongs to one {name}")
    return memory.conversation(user=str(user), id=str(id))


def _parted(held: Sequence[Given]) -> tuple[Sequence[Message], Sequence[Message]]:
    """The system messages at the head, and what was said."""
    messages = reading.messages(held)
    at = next((i for i, m in enumerate(messages) if m.role != "system"), len(messages))
    return messages[:at], _ended(messages[at:])


def _ended(said: Sequence[Message]) -> Sequence[Message]:
    """The same, where a turn that ended with its tools ends with an answer: what they gave.

    A framework may end a run at a tool whose result is the answer. The engine would wait for
    the model's words, and send the turn for ever.
    """
    found: list[Message] = []
    results: list[str] = []
    for message in said:
        if spoken(message) and results:
            found.append(Message(role="assistant", content="\n".join(results)))
        results = [*results, *message.texts()] if results_of(message) else []
        found.append(message)
    return found


def newest(held: Sequence[Mapping[str, Any]], *, answered: int = 2) -> list[Mapping[str, Any]]:
    """The system messages, the newest turn and so many before it: enough to be recognised by."""
    opened = [
        i
        for i, message in enumerate(held)
        if message["role"] == "user" and not (i and held[i - 1]["role"] == "user")
    ]
    head = [message for message in held if message["role"] == "system"]
    start = opened[-answered - 1] if len(opened) > answered else 0
    return [*head, *(message for message in held[start:] if message["role"] != "system")]


def _plain(message: Message) -> bool:
    """True for a question that is nothing but its content."""
    return spoken(message) and not message.name and not message.extra


def _content(message: Message) -> str | list[dict[str, Any]]:
    if message.content is not None:
        return message.content
    return [json.loads(part.json) for part in message.parts]


def _instructions(first: str | None, head: Sequence[Message]) -> str | list[dict[str, Any]] | None:
    """One system message of all of them; parts stay parts, with a blank line between."""
    contents = [first] if first else []
    contents += [_content(message) for message in head]  # type: ignore[misc]
    if all(isinstance(content, str) for content in contents):
        return "\n\n".join(map(str, contents)) or None
    parts: list[dict[str, Any]] = []
    for content in contents:
        parts += [{"type": "text", "text": "\n\n"}] if parts else []
        parts += [{"type": "text", "text": content}] if isinstance(content, str) else content
    return parts
