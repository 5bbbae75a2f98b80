"""pydantic-ai's agents over the engine: a capability, and a history processor.

The capability leaves the agent's own history alone and stores each run at its end. The processor
is for ``ProcessHistory``, which keeps what it returns as the agent's history: it marks what it
made, so that its own request is never taken for what somebody said.
"""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, SystemPromptPart
from pydantic_ai.models import ModelRequestContext, ModelRequestParameters
from pydantic_ai.run import AgentRunResult
from pydantic_ai.tools import RunContext, ToolDefinition

from palimpsest.conversation import Conversation
from palimpsest.engine import Memory
from palimpsest.errors import InputError
from palimpsest.integrations.history import History, newest
from palimpsest.integrations.pydantic_ai.messages import (
    OUTPUT_TOOL,
    feedback,
    from_chat,
    to_chat,
    without_feedback,
)
from palimpsest.ledger import Request
from palimpsest.protocols import Strategy
from palimpsest.types import Budget

Named = str | Callable[[RunContext[Any]], str]
"""A user or a conversation: its name, or a function of the run that gives it."""
MARK = "palimpsest"
_AROUND = 32
"""Tokens of the frame around an answer that was refused and the reason why."""


class AgentMemory(AbstractCapability[Any]):
    """``Agent(..., capabilities=[AgentMemory(...)])``: every model call is the engine's request.

    ``user`` and ``conversation`` are names, or functions of the run's context (``lambda ctx:
    ctx.deps.user``). The agent's instructions and tools are counted as they are sent.
    """

    def __init__(
        self,
        memory: Memory,
        *,
        budget: Budget,
        user: Named,
        conversation: Named,
        strategy: str | Strategy = "managed",
        instructions: str | None = None,
        tools: Sequence[Mapping[str, Any]] | None = None,
        output_tools: Sequence[str] = (OUTPUT_TOOL,),
    ) -> None:
        self._history = History(
            memory=memory, budget=budget, strategy=strategy, instructions=instructions,
            tools=tools or (), branches=True,
        )  # fmt: skip
        self._user, self._conversation = user, conversation
        self._tools, self._outputs = tools, tuple(output_tools)

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """The request in the place of the history; the agent's own history stays as it is."""
        talk = self.conversation(ctx)
        given, parameters = request_context.messages, request_context.model_request_parameters
        told = "\n\n".join(part.content for part in parameters.instruction_parts or ())
        tools = self._tools if self._tools is not None else schemas(parameters)
        messages = await asyncio.to_thread(self._sent, talk, given, told, tools)
        # The instructions stand in the system message of the request: sent once, counted once.
        bare = dataclasses.replace(parameters, instruction_parts=None)
        messages = [
            dataclasses.replace(m, instructions=None) if isinstance(m, ModelRequest) else m
            for m in messages
        ]
        return dataclasses.replace(
            request_context, messages=messages, model_request_parameters=bare
        )

    async def after_run(
        self, ctx: RunContext[Any], *, result: AgentRunResult[Any]
    ) -> AgentRunResult[Any]:
        """Stores the turn that was answered."""
        talk, messages = self.conversation(ctx), result.all_messages()
        await asyncio.to_thread(self.observe, messages, talk)
        return result

    def process(self, ctx: RunContext[Any], messages: list[ModelMessage]) -> list[ModelMessage]:
        """The history processor with a context: ``ProcessHistory(memory.process)``."""
        return self._processed(self.conversation(ctx), messages)

    def process_messages(self, messages: list[ModelMessage]) -> list[ModelMessage]:
        """The history processor without one; user and conversation are names then."""
        return self._processed(self.conversation(None), messages)

    def request(
        self, messages: Sequence[ModelMessage], conversation: Conversation, told: str = "",
        tools: Sequence[Mapping[str, Any]] | None = None, spare: int = 0,
    ) -> Request:  # fmt: skip
        """The engine's request for a history, with its tokens and its ledger."""
        held, marked = self._held(messages), any(_mark(message) for message in messages)
        if told:
            at = next((i for i, m in enumerate(held) if m["role"] != "system"), len(held))
            held.insert(at, {"role": "system", "content": told})
        return self._history.request(held, conversation, tools=tools, spare=spare, fresh=marked)

    def observe(self, messages: Sequence[ModelMessage], conversation: Conversation) -> Conversation:
        """Store what is new in a history and complete; returns where: there, or in a branch."""
        return self._history.observe(self._held(messages), conversation)

    def conversation(self, ctx: RunContext[Any] | None) -> Conversation:
        """The conversation of a run; raises InputError where it has no name."""
        names = []
        for name, given in (("user", self._user), ("conversation", self._conversation)):
            if not isinstance(given, str) and ctx is None:
                raise InputError(
                    f"{name}: is a function of the run's context, and process_messages has none; "
                    "give ProcessHistory the processor `process`, or a name"
                )
            names.append(given if isinstance(given, str) or ctx is None else given(ctx))
        return self._history.conversation(*names)

    def _held(self, messages: Sequence[ModelMessage]) -> list[dict[str, Any]]:
        """The history as it was said, whoever wrote its beginning: what is marked is our own."""
        at = max((i for i, m in enumerate(messages) if _mark(m) is not None), default=None)
        if at is None:
            return to_chat(without_feedback(messages), output_tools=self._outputs)
        mark = _mark(messages[at]) or {}
        added = ModelRequest(parts=messages[at].parts[mark["parts"] :])  # type: ignore[arg-type]
        rest = [*([added] if added.parts else []), *messages[at + 1 :]]
        return [*mark["held"], *to_chat(without_feedback(rest), output_tools=self._outputs)]

    def _sent(
        self, talk: Conversation, messages: Sequence[ModelMessage], told: str,
        tools: Sequence[Mapping[str, Any]] | None,
    ) -> list[ModelMessage]:  # fmt: skip
        """The messages of the request, and behind them an answer that was refused just now."""
        refused = messages[len(messages) - feedback(messages) :]
        spare = self._spare(refused) if refused else 0
        built = self.request(messages, talk, told, tools, spare)
        found = from_chat(built.messages)
        last, made = messages[-1], found[-1]
        if isinstance(last, ModelRequest) and isinstance(made, ModelRequest) and not refused:
            # What the framework keeps beside the words of a request: which run it belongs to.
            found[-1] = dataclasses.replace(last, parts=made.parts)
        return [*found, *refused]

    def _spare(self, refused: Sequence[ModelMessage]) -> int:
        texts = [
            getattr(part, "content", None) if isinstance(message, ModelResponse)
            else getattr(part, "model_response", lambda: "")()
            for message in refused
            for part in message.parts
        ]  # fmt: skip
        count = self._history.memory.counter.text
        return sum(count(str(text or "")) + _AROUND for text in texts)

    def _processed(
        self, talk: Conversation, messages: Sequence[ModelMessage]
    ) -> list[ModelMessage]:
        last = messages[-1]
        told = (last.instructions or "") if isinstance(last, ModelRequest) else ""
        found = _without_told(self._sent(talk, messages, told, self._tools), told)
        mark = {"held": newest(self._held(messages)), "parts": len(found[-1].parts)}
        metadata = {**(found[-1].metadata or {}), MARK: mark}
        found[-1] = dataclasses.replace(found[-1], metadata=metadata)
        return found


def schemas(parameters: ModelRequestParameters) -> list[dict[str, Any]]:
    """The tools that a model is offered, as a chat API is given them."""
    offered: list[ToolDefinition] = [*parameters.function_tools, *parameters.output_tools]
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description or "",
                "parameters": tool.parameters_json_schema,
            },
        }
        for tool in offered
    ]


def _mark(message: ModelMessage) -> dict[str, Any] | None:
    found = (message.metadata or {}).get(MARK)
    return found if isinstance(found, dict) else None


def _without_told(messages: list[ModelMessage], told: str) -> list[ModelMessage]:
    """Without the agent's instructions in the system message: pydantic-ai sends them itself."""
    first, *rest = messages
    if not told or not isinstance(first, ModelRequest):
        return messages
    system = first.parts[0]
    if not isinstance(system, SystemPromptPart):
        return messages
    left = system.content.removesuffix(told).removesuffix("\n\n")
    parts = [*([SystemPromptPart(content=left)] if left else []), *first.parts[1:]]
    return [dataclasses.replace(first, parts=parts), *rest]
