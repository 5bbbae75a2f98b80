"""A model of the OpenAI Agents SDK that answers from a list and keeps what it was sent."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any

from agents.items import ModelResponse, TResponseOutputItem
from agents.models.interface import Model
from agents.usage import Usage
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
    ResponseReasoningItem,
)

Answer = Sequence[TResponseOutputItem]


def words(text: str) -> ResponseOutputMessage:
    """An answer in words, as a server gives it."""
    said = ResponseOutputText(type="output_text", text=text, annotations=[], logprobs=[])
    return ResponseOutputMessage(
        id="msg_1", type="message", role="assistant", status="completed", content=[said]
    )


def call(name: str, arguments: str, id: str) -> ResponseFunctionToolCall:
    """A call of a tool."""
    return ResponseFunctionToolCall(
        id=f"fc_{id}", type="function_call", call_id=id, name=name, arguments=arguments
    )


def thought() -> ResponseReasoningItem:
    """What a reasoning model puts before its calls."""
    return ResponseReasoningItem(id="rs_1", type="reasoning", summary=[])


class Scripted(Model):
    """Gives the answers that it was given; an exception among them is raised."""

    def __init__(self, answers: Sequence[Answer | Exception]) -> None:
        self.answers = list(answers)
        self.seen: list[tuple[str | None, list[Any]]] = []

    async def get_response(
        self, system_instructions: str | None, input: Any, *args: Any, **more: Any
    ) -> ModelResponse:
        """The next answer."""
        return ModelResponse(
            output=list(self._next(system_instructions, input)), usage=Usage(), response_id=None
        )

    async def stream_response(
        self, system_instructions: str | None, input: Any, *args: Any, **more: Any
    ) -> AsyncIterator[Any]:
        """The next answer, whole in the last event."""
        output = list(self._next(system_instructions, input))
        response = Response(
            id="r", created_at=0, model="scripted", object="response", output=output,
            tool_choice="auto", tools=[], parallel_tool_calls=False,
        )  # fmt: skip
        yield ResponseCompletedEvent(
            type="response.completed", response=response, sequence_number=0
        )

    def _next(self, instructions: str | None, input: Any) -> Answer:
        self.seen.append((instructions, list(input)))
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer
