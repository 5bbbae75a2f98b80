"""A memory for LlamaIndex's chat engines and agents: what is got is the engine's request.

An engine puts the question, gets the messages for the model, and puts what came of it. Invariant:
what is stored is a turn with its answer; until then it waits in the object, and a question that
was never answered is gone with it.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory.types import BaseMemory
from pydantic import PrivateAttr

from palimpsest.conversation import Conversation
from palimpsest.engine import Memory
from palimpsest.integrations.history import History
from palimpsest.integrations.llama_index.messages import from_chat, to_chat
from palimpsest.ledger import Request
from palimpsest.protocols import Strategy
from palimpsest.types import Budget


class ChatMemory(BaseMemory):
    """One user's conversation as ``memory=`` of a chat engine or an agent; threads may share it.

    ``instructions`` are sent and counted; a ``system_prompt`` that the engine adds itself is not,
    nor is the scratchpad of an agent's tools, which LlamaIndex hands over when the run has ended.
    """

    _history: History = PrivateAttr()
    _talk: Conversation = PrivateAttr()
    _waiting: list[ChatMessage] = PrivateAttr(default_factory=list)
    _lock: Any = PrivateAttr(default_factory=threading.RLock)

    @classmethod
    def class_name(cls) -> str:
        """Get class name."""
        return "PalimpsestChatMemory"

    @classmethod
    def from_defaults(  # type: ignore[override]
        cls,
        memory: Memory,
        *,
        budget: Budget,
        user: str,
        conversation: str,
        strategy: str | Strategy = "managed",
        instructions: str | None = None,
        tools: Sequence[Mapping[str, Any]] = (),
    ) -> ChatMemory:
        """The memory of one conversation; ``tools`` are schemas as a chat API is given them."""
        made = cls()
        made._history = History(
            memory=memory, budget=budget, strategy=strategy, instructions=instructions, tools=tools,
            branches=True,
        )  # fmt: skip
        made._talk = made._history.conversation(user, conversation)
        return made

    @property
    def conversation(self) -> Conversation:
        """The engine's conversation: what is remembered of it, corrected and forgotten."""
        return self._talk

    def request(self, input: str | None = None) -> Request:
        """The engine's request for what waits to be answered, or for ``input``."""
        with self._lock:
            asked = [ChatMessage(role="user", content=input)] if input and not self._waiting else []
            return self._history.request(to_chat([*self._waiting, *asked]), self._talk)

    def get(self, input: str | None = None, **kwargs: Any) -> list[ChatMessage]:
        """What to send the model; where nothing was asked, all that was said."""
        with self._lock:
            if not self._waiting and not input:
                return self.get_all()
            return from_chat(self.request(input).messages)

    def get_all(self) -> list[ChatMessage]:
        """All that was said, as it is stored, and what waits to be answered."""
        with self._lock:
            said = [m.as_dict() for turn in self._talk.turns() for m in turn.messages]
            return [*from_chat(said), *self._waiting]

    def put(self, message: ChatMessage) -> None:
        """Take a message; an answer stores its turn."""
        self.put_messages([message])

    def put_messages(self, messages: list[ChatMessage]) -> None:
        """Take messages in their order; an answer stores the turn that it ends."""
        with self._lock:
            for message in messages:
                self._waiting.append(message)
                chat = to_chat([message])[0]
                if chat["role"] == "assistant" and not chat.get("tool_calls"):
                    self._talk = self._history.observe(to_chat(self._waiting), self._talk)
                    self._waiting = []

    def set(self, messages: list[ChatMessage]) -> None:
        """Take over a history; what is stored is recognised, and one that was edited goes on in
        a branch. Raises InputError for another's."""
        with self._lock:
            chat = to_chat(messages)
            self._talk = self._history.observe(chat, self._talk, fresh=False)
            open_from = len(messages)
            while open_from and not _answers(chat[open_from - 1]):
                open_from -= 1
            self._waiting = list(messages[open_from:])

    def reset(self) -> None:
        """Begin a new conversation of the same user; what was said before stays with its own."""
        with self._lock:
            memory, scope = self._history.memory, self._talk.scope
            taken, number = set(memory.conversations(scope.user)), 2
            root = scope.conversation.rpartition("~")[0] or scope.conversation
            while f"{root}~{number}" in taken:
                number += 1
            self._talk = memory.conversation(user=scope.user, id=f"{root}~{number}")
            self._waiting = []


def _answers(chat: Mapping[str, Any]) -> bool:
    return chat["role"] == "assistant" and not chat.get("tool_calls")
