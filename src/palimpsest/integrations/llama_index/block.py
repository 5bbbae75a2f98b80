"""A block of LlamaIndex's own ``Memory``: what the engine remembers, beside the messages it keeps.

LlamaIndex keeps the newest messages itself and asks its blocks for the rest. The block reads the
messages that it is shown, stores what is new in them, and gives the quoted lines that the engine
would put before the question. Give the ``Memory`` ``insert_method="user"``: what somebody said
has no place in a system message.

Invariant: what was forgotten leaves the block and what LlamaIndex sends of its own queue, but for
the user's newest words. The messages are changed where they are handed over, as LlamaIndex itself
does with its blocks' content; its table keeps them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.memory import BaseMemoryBlock
from pydantic import PrivateAttr

from palimpsest.conversation import Conversation
from palimpsest.engine import Memory
from palimpsest.integrations.history import History
from palimpsest.integrations.llama_index.messages import from_chat, to_chat
from palimpsest.protocols import Strategy
from palimpsest.types import Budget


class RememberedBlock(BaseMemoryBlock[str]):
    """What the engine remembers for the question that is asked; made by ``of``."""

    _history: History = PrivateAttr()
    _talk: Conversation = PrivateAttr()

    @classmethod
    def of(
        cls,
        memory: Memory,
        *,
        budget: Budget,
        user: str,
        conversation: str,
        strategy: str | Strategy = "managed",
        name: str = "remembered",
        priority: int = 0,
    ) -> RememberedBlock:
        """A block over one user's conversation; ``budget`` is that of the whole model call."""
        made = cls(name=name, priority=priority)
        made._history = History(memory=memory, budget=budget, strategy=strategy, follows=True)
        made._talk = made._history.conversation(user, conversation)
        return made

    @property
    def conversation(self) -> Conversation:
        """The engine's conversation: what is remembered of it, corrected and forgotten."""
        return self._talk

    async def _aget(self, messages: list[ChatMessage] | None = None, **block_kwargs: Any) -> str:
        held = list(messages or ())
        lines = await asyncio.to_thread(self._lines, held)
        await asyncio.to_thread(self._take_out, held)
        return lines

    async def _aput(self, messages: list[ChatMessage]) -> None:
        """Messages that LlamaIndex lets go: most were seen before, and none is lost."""
        await asyncio.to_thread(self._follow, list(messages))

    def _lines(self, messages: list[ChatMessage]) -> str:
        held = [message for message in to_chat(messages) if message["role"] != "system"]
        if not held or held[-1]["role"] == "assistant":
            self._history.observe(held, self._talk, fresh=False)
            return ""
        sent = _question(self._history.request(held, self._talk).messages)
        return _before(sent, _question(held), self._prefix)

    def _take_out(self, messages: list[ChatMessage]) -> None:
        """Leave out what was forgotten, in all but the user's newest words."""
        exchanges, user = self._history.memory.exchanges, self._talk.scope.user
        if not exchanges.forgets(user):
            return
        asked = next((m for m in reversed(messages) if m.role == MessageRole.USER), None)
        for message in messages:
            if message is asked or message.role == MessageRole.SYSTEM:
                continue
            chat = to_chat([message])[0]
            told = [chat["content"], *(call["function"]["arguments"] for call in _calls(chat))]
            if exchanges.says_forgotten(user, [text for each in told for text in _texts(each)]):
                _empty(message, chat, self._talk.config.context.redaction_marker)

    def _follow(self, messages: list[ChatMessage]) -> None:
        held = [message for message in to_chat(messages) if message["role"] != "system"]
        if held:
            self._talk.observe_held(held, follows=True)

    @property
    def _prefix(self) -> str:
        return self._talk.config.context.question_prefix


def _question(messages: Sequence[Mapping[str, Any]]) -> str:
    """The first words of the newest user message."""
    content = next((m["content"] for m in reversed(messages) if m["role"] == "user"), "")
    if isinstance(content, str):
        return content
    return next((str(part["text"]) for part in content if part.get("text")), "")


def _before(sent: str, asked: str, prefix: str) -> str:
    """The lines that a request puts before the question, without the question."""
    if sent == asked:
        return ""
    return sent.removesuffix(asked).rstrip().removesuffix(prefix.rstrip()).rstrip()


def _calls(chat: Mapping[str, Any]) -> Sequence[dict[str, Any]]:
    return chat.get("tool_calls") or ()


def _texts(value: object) -> Iterator[str]:
    """Every text in a content, its parts or the arguments of a call."""
    if isinstance(value, str):
        yield value
    for each in value.values() if isinstance(value, Mapping) else ():
        yield from _texts(each)
    for each in value if isinstance(value, list) else ():
        yield from _texts(each)


def _empty(message: ChatMessage, chat: dict[str, Any], mark: str) -> None:
    """Put a mark in the place of what a message says; its calls stay, without their arguments."""
    if chat["content"]:
        chat["content"] = mark
    for call in _calls(chat):
        call["function"]["arguments"] = "{}"
    (left,) = from_chat([chat])
    message.blocks = left.blocks
    message.additional_kwargs = {**message.additional_kwargs, **left.additional_kwargs}
