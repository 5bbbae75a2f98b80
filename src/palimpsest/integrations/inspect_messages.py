"""Requests as inspect-ai's own messages and tools, and back.

Invariant: every text, call and result of a request stands in what the model is given, in its
order; what inspect-ai has no word for is refused, never dropped.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    Content,
    ContentImage,
    ContentText,
)
from inspect_ai.tool import Tool, ToolCall, ToolDef, ToolParams

from palimpsest.errors import InputError


def chat_messages(messages: Sequence[Mapping[str, Any]]) -> list[ChatMessage]:
    """OpenAI-style messages as those of inspect-ai; raises InputError with the path."""
    made: list[ChatMessage] = []
    names: dict[str, str] = {}
    for i, message in enumerate(messages):
        content = _content(message.get("content"), f"messages[{i}].content")
        if message["role"] == "system":
            made.append(ChatMessageSystem(content=content))
        elif message["role"] == "user":
            made.append(ChatMessageUser(content=content))
        elif message["role"] == "tool":
            id = str(message["tool_call_id"])
            made.append(ChatMessageTool(content=content, tool_call_id=id, function=names.get(id)))
        else:
            calls = [_call(call) for call in message.get("tool_calls", ())]
            names |= {call.id: call.function for call in calls}
            made.append(ChatMessageAssistant(content=content, tool_calls=calls or None))
    return made


def _content(value: object, path: str) -> str | list[Content]:
    if value is None or isinstance(value, str):
        return value or ""
    assert isinstance(value, list), "a request holds texts and lists of parts"
    return [_part(part, f"{path}[{i}]") for i, part in enumerate(value)]


def _part(part: Mapping[str, Any], path: str) -> Content:
    kind = part.get("type")
    if kind == "text":
        return ContentText(text=str(part["text"]))
    if kind == "image_url" and isinstance(part.get("image_url"), Mapping):
        return ContentImage(image=str(part["image_url"]["url"]))
    raise InputError(
        f"{path}: a {kind!r} part cannot be sent through inspect-ai, which has no word for it; "
        "answer this suite with `palimpsest answers record`"
    )


def _call(call: Mapping[str, Any]) -> ToolCall:
    given = call["function"].get("arguments") or "{}"
    arguments = json.loads(given) if isinstance(given, str) else given
    return ToolCall(id=call["id"], function=call["function"]["name"], arguments=arguments)


def offered(tools: Sequence[Mapping[str, Any]]) -> list[Tool]:
    """Tool schemas as tools that are offered and never run: a call is itself the answer."""
    return [_tool(schema.get("function", schema)) for schema in tools]


def _tool(schema: Mapping[str, Any]) -> Tool:
    async def execute() -> str:
        raise InputError(f"{schema['name']}: is offered to the model and never run here")

    given = schema.get("parameters") or {"type": "object"}
    return ToolDef(
        execute,
        name=schema["name"],
        description=schema.get("description") or schema["name"],
        parameters=ToolParams.model_validate(given),
    ).as_tool()


def openai_messages(messages: Sequence[ChatMessage]) -> list[dict[str, Any]]:
    """What was sent, as a grader looks for facts in it: words, calls and results."""
    made: list[dict[str, Any]] = []
    for message in messages:
        row: dict[str, Any] = {"role": message.role, "content": message.text}
        if isinstance(message, ChatMessageAssistant) and message.tool_calls:
            row["tool_calls"] = [call_data(call) for call in message.tool_calls]
        if isinstance(message, ChatMessageTool):
            row["tool_call_id"] = message.tool_call_id or "call"
        made.append(row)
    return made


def call_data(call: ToolCall) -> dict[str, Any]:
    """A call of the model in the OpenAI shape."""
    arguments = json.dumps(call.arguments, ensure_ascii=False)
    return {
        "id": call.id, "type": "function",
        "function": {"name": call.function, "arguments": arguments},
    }  # fmt: skip
