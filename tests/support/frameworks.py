"""One conversation through the core, to compare with what a framework's model is sent.

The core is told each message as it was said, and asked before every answer, as an adapter is.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

from palimpsest import Memory
from palimpsest.bench import builtin
from palimpsest.bench.suite import Suite, SuiteTurn
from palimpsest.conversation import Conversation
from palimpsest.ledger import Request
from palimpsest.protocols import Tokenizer

Chat = list[dict[str, Any]]
USER, THREAD = "ana", "trip"
SECRET = "P1234567"


def opened(suite: Suite, tokenizer: Tokenizer) -> Memory:
    """An empty memory with the settings of a suite."""
    return Memory.open(":memory:", tokenizer=tokenizer, config=suite.config(), indexing="inline")


def chat_of(item: SuiteTurn) -> Chat:
    """The messages of a turn as a chat API takes them."""
    return [message.as_dict() for message in item.turn.messages]


def bare(request: Request) -> Request:
    """The request without its id, which is drawn."""
    return dataclasses.replace(request, id="")


class Core:
    """The core beside an adapter: the same turns, the same labels."""

    def __init__(self, suite: Suite, tokenizer: Tokenizer) -> None:
        self.suite = suite
        self.memory = opened(suite, tokenizer)
        self.talk: Conversation = self.memory.conversation(user=USER, id=THREAD)

    def request(self, question: Any) -> Request:
        """The request for a question as the core builds it."""
        suite = self.suite
        return bare(
            self.talk.request(
                question, budget=suite.budget, instructions=suite.instructions,
                tools=suite.tools or None,
            )
        )  # fmt: skip

    def asked(self, item: SuiteTurn, said: Chat | None = None) -> Iterator[Request]:
        """The request before each answer of a turn, which is stored as it goes on.

        ``said`` is the turn as a framework can say it, where that lacks something.
        """
        chat, stored = said or chat_of(item), 0
        for at, message in enumerate(chat):
            if message["role"] != "assistant":
                continue
            if at > 1:
                self.talk.observe(messages=chat[stored:at])
                stored = at
            yield self.request(chat[0]["content"] if at == 1 else None)
        self.talk.observe(messages=chat[stored:])
        self.label(item, self.talk)

    @staticmethod
    def label(item: SuiteTurn, talk: Conversation) -> None:
        """Do in a conversation what perfect extraction does at a turn."""
        if item.label is not None:
            talk.apply(item.label, turn=item.number)


def turns(suite: Suite) -> Sequence[SuiteTurn]:
    """The turns that are answered."""
    return [item for item in suite.turns if not item.turn.open]


def load(name: str) -> Suite:
    """A built-in suite."""
    return builtin.load(name)
