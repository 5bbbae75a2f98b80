"""LangChain messages to chat messages and back, without losing what a model is sent.

Ids, usage and artifacts belong to LangChain's own records and are not sent, so they stay there.
Parts pass as they are, images too; a message of a kind that no chat API takes is refused.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    ChatMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)

from palimpsest.errors import InputError

_ROLES = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool"}
_CHAT_ROLES = ("user", "assistant", "system", "developer")


def to_chat(messages: Sequence[BaseMessage]) -> list[dict[str, Any]]:
    """The messages as the engine reads them; raises InputError with the place of a fault."""
    return [_to_chat(message, f"messages[{i}]") for i, message in enumerate(messages)]


def from_chat(messages: Sequence[Mapping[str, Any]]) -> list[BaseMessage]:
    """The messages of a request as LangChain's models take them."""
    return [_from_chat(message) for message in messages]


def _to_chat(message: BaseMessage, path: str) -> dict[str, Any]:
    if not isinstance(message, BaseMessage):
        raise InputError(f"{path}: {message!r:.60} is not a LangChain message")
    chat = message.role if isinstance(message, ChatMessage) else None
    # A chunk is its message: AIMessageChunk is an AIMessage and is named for itself.
    kind = message.type.removesuffix("MessageChunk").lower()
    role = chat if chat in _CHAT_ROLES else _ROLES.get(kind)
    if role is None:
        raise InputError(
            f"{path}: a {type(message).__name__}{f' of role {chat!r}' if chat else ''} is no chat "
            f"message; known: HumanMessage, AIMessage, SystemMessage, ToolMessage"
        )
    data: dict[str, Any] = {"role": role, "content": message.content}
    if message.name:
        data["name"] = message.name
    kept = {k: v for k, v in message.additional_kwargs.items() if k not in _CARRIED and v}
    if isinstance(message, AIMessage):
        data |= _calls(message)
    if isinstance(message, ToolMessage):
        data["tool_call_id"] = message.tool_call_id
        if message.status == "error":
            kept["status"] = message.status
    if not message.content:
        # LangChain has no null: an answer that only calls tools has no content.
        data["content"] = None if "tool_calls" in data else ""
    return {**kept, **data}


_CARRIED = ("tool_calls", "function_call", "role", "content", "name", "tool_call_id")
"""Keys that LangChain keeps beside the fields that say the same."""


def _calls(message: AIMessage) -> dict[str, Any]:
    """The calls in the OpenAI shape, but for those that stand in the content already."""
    inside = {
        part.get("id")
        for part in message.content
        if isinstance(part, Mapping) and part.get("type") == "tool_use"
    }
    calls = [
        _call(call["id"], call["name"], json.dumps(call["args"], ensure_ascii=False))
        for call in message.tool_calls
        if call["id"] not in inside
    ]
    calls += [
        _call(call["id"], call["name"] or "", call["args"] or "")
        for call in message.invalid_tool_calls
        if call["id"] not in inside
    ]
    return {"tool_calls": calls} if calls else {}


def _call(id: str | None, name: str, arguments: str) -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def _from_chat(message: Mapping[str, Any]) -> BaseMessage:
    content = message.get("content") or ""
    name = message.get("name")
    known = {"role", "content", "name", "tool_calls", "tool_call_id", "status"}
    kept = {key: value for key, value in message.items() if key not in known}
    if message["role"] == "user":
        return HumanMessage(content=content, name=name, additional_kwargs=kept)
    if message["role"] == "system":
        return SystemMessage(content=content, name=name, additional_kwargs=kept)
    if message["role"] == "tool":
        return ToolMessage(
            content=content, name=name, tool_call_id=message["tool_call_id"],
            status="error" if message.get("status") == "error" else "success",
            additional_kwargs=kept,
        )  # fmt: skip
    return _answer(message, content, name, kept)


def _answer(
    message: Mapping[str, Any], content: Any, name: str | None, kept: dict[str, Any]
) -> AIMessage:
    made = AIMessage(content=content, name=name, additional_kwargs=kept)
    for part in content if isinstance(content, list) else ():
        if part.get("type") == "tool_use":
            given = part.get("input") or {}
            made.tool_calls.append(
                {"name": part["name"], "args": given, "id": part["id"], "type": "tool_call"}
            )
    for call in message.get("tool_calls") or ():
        function = call["function"]
        try:
            args = json.loads(function.get("arguments") or "{}")
        except ValueError:
            args = None
        if isinstance(args, dict):
            made.tool_calls.append(
                {"name": function["name"], "args": args, "id": call["id"], "type": "tool_call"}
            )
        else:
            made.invalid_tool_calls.append(
                {
                    "name": function["name"], "args": function.get("arguments"), "id": call["id"],
                    "error": "not a JSON object", "type": "invalid_tool_call",
                }
            )  # fmt: skip
    return made
