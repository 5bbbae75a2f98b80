"""A client's messages, made into what is sent: built from memory, or its own where that fails.

Invariant: whatever goes wrong with the memory, there is something to send and a reason code, or
an error that says why nothing may be sent.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from palimpsest.engine import Memory
from palimpsest.errors import PalimpsestError
from palimpsest.exchanges import Exchange
from palimpsest.ledger import Request
from palimpsest.protocols import Strategy
from palimpsest.types import Budget
from palimpsest.web.proxy.asked import Asked, readable
from palimpsest.web.proxy.without import without_memory

LOG = logging.getLogger("palimpsest.web")
DEADLINE, RECALL = "deadline", "recall"
"""Reason codes beside those of the error table: memory took too long, or only words recalled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """What is sent, and what is to be kept of it."""

    messages: Sequence[Any]
    exchange: Exchange | None = None
    request: Request | None = None
    degraded: str = ""
    """A reason code; empty where all went well."""

    def headers(self) -> dict[str, str]:
        """What the client is told."""
        told = {"x-palimpsest-degraded": self.degraded}
        if self.exchange is not None:
            name = quote(self.exchange.scope.conversation, safe="~-._/: ")
            told["x-palimpsest-conversation"] = name
        if self.request is not None:
            told["x-palimpsest-request"] = self.request.id
            told["x-palimpsest-tokens"] = str(self.request.tokens)
        return {name: value for name, value in told.items() if value}


class Preparer:
    """Builds requests under one window with one strategy."""

    def __init__(self, memory: Memory, *, budget: Budget, strategy: Strategy) -> None:
        self._memory, self._budget, self._strategy = memory, budget, strategy

    def prepare(self, user: str, asked: Asked) -> Prepared:
        """The request of a user; raises InputError where nothing may be sent."""
        exchange = None
        try:
            exchange = self._memory.exchanges.open(
                user=user, messages=readable(asked.messages), conversation=asked.conversation
            )
            request = self._memory.exchanges.request(
                exchange, budget=self._within(asked.answer), strategy=self._strategy,
                tools=asked.body.get("tools"),
            )  # fmt: skip
        except Exception as error:  # noqa: BLE001 - the chat goes on, whatever memory meets
            return self.plain(user, asked, reason=_code(error), exchange=exchange)
        return Prepared(
            messages=_in_their_roles(request.messages, asked.messages), exchange=exchange,
            request=request, degraded=RECALL if request.degraded else "",
        )  # fmt: skip

    def plain(
        self, user: str, asked: Asked, *, reason: str, exchange: Exchange | None = None,
        in_reach: bool = True,
    ) -> Prepared:  # fmt: skip
        """The client's own messages; ``in_reach`` is False where the store answers nobody."""
        messages = without_memory(self._memory, user, asked.messages, readable=in_reach)
        return Prepared(messages=messages, exchange=exchange, degraded=reason)

    def _within(self, answer: int | None) -> Budget:
        """The budget with the answer that the client allows, of half the window at most."""
        base = self._budget
        kept = base.answer if answer is None else min(answer, base.window // 2)
        return Budget(window=base.window, answer=kept, margin=base.margin)


def _code(error: Exception) -> str:
    code = error.code if isinstance(error, PalimpsestError) else PalimpsestError.code
    # The message of an error may quote a text of a user's: no log holds one.
    LOG.warning("a request was built without memory: %s", type(error).__name__)
    return code


def _in_their_roles(built: list[dict[str, Any]], given: Sequence[Any]) -> list[dict[str, Any]]:
    """The instructions in the role that the client gave them."""
    roles = {m.get("role") for m in given if isinstance(m, Mapping)}
    if "developer" in roles and "system" not in roles and built[0]["role"] == "system":
        built[0]["role"] = "developer"
    return built
