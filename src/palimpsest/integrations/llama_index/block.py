"""A block of LlamaIndex's own ``Memory``: what the engine remembers, beside the messages it keeps.

LlamaIndex keeps the newest messages itself and asks its blocks for the rest. The block reads the
messages that it is shown, stores what is new in them, and gives the quoted lines that the engine
would put before the question. Give the ``Memory`` ``insert_method="user"``: what somebody said
has no place in a system message.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory import BaseMemoryBlock
from pydantic import PrivateAttr

from palimpsest.conversation import Conversation
from palimpsest.engine import Memory
from palimpsest.integrations.history import History
from palimpsest.integrations.llama_index.messages import to_chat
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
        return await asyncio.to_thread(self._lines, list(messages or ()))

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
