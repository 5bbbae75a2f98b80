"""Messages to JSON text and back, byte for byte.

Parts, tool calls and unknown keys are already JSON texts inside the records; they are kept
as texts, so nothing is parsed and written anew on its way through the store.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from palimpsest.types import Message, Part, ToolCall, canonical


def encode(messages: Sequence[Message]) -> str:
    """One JSON array for the messages of a turn; empty fields are left out."""
    return canonical([_packed(message) for message in messages])


def decode(text: str) -> tuple[Message, ...]:
    """The messages that ``encode`` was given."""
    return tuple(_unpacked(item) for item in json.loads(text))


def _packed(message: Message) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "role": message.role,
        "content": message.content,
        "parts": [[part.kind, part.json, part.text] for part in message.parts] or None,
        "calls": [[call.id, call.name, call.json] for call in message.tool_calls] or None,
        "answers": message.tool_call_id,
        "name": message.name,
        "extra": message.extra or None,
    }
    return {key: value for key, value in fields.items() if value is not None}


def _unpacked(item: Mapping[str, Any]) -> Message:
    return Message(
        role=item["role"],
        content=item.get("content"),
        parts=tuple(Part(kind=k, json=j, text=t) for k, j, t in item.get("parts", ())),
        tool_calls=tuple(ToolCall(id=i, name=n, json=j) for i, n, j in item.get("calls", ())),
        tool_call_id=item.get("answers"),
        name=item.get("name"),
        extra=item.get("extra", ""),
    )
