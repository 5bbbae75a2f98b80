"""Reads chat messages in the shapes that people send, and says where one is wrong.

Accepted: OpenAI-style dictionaries (string, part-list or ``None`` content, tool calls,
tool results, names) and the part shapes of other vendors (``tool_use``, ``tool_result``,
``thinking``, media). Refused with the path to the fault: everything that cannot be sent.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from palimpsest.errors import InputError
from palimpsest.types import (
    ROLES,
    Message,
    Part,
    PartKind,
    Role,
    Tool,
    ToolCall,
    Turn,
    calls_of,
    canonical,
    results_of,
    spoken,
)

_TEXT = frozenset({"text", "input_text", "output_text"})
_MEDIA = frozenset(
    {
        "image_url",
        "input_image",
        "image",
        "input_audio",
        "audio",
        "audio_url",
        "video",
        "video_url",
        "input_video",
        "file",
        "input_file",
        "document",
    }
)
_THINKING = frozenset({"thinking", "redacted_thinking", "reasoning"})


def content_of(value: object, path: str) -> tuple[str | None, tuple[Part, ...]]:
    """Read a message content: ``(text, ())`` for plain text, ``(None, parts)`` otherwise."""
    if value is None or isinstance(value, str):
        _check_text(value, path)
        return value, ()
    if not isinstance(value, Sequence) or isinstance(value, (bytes, bytearray)):
        raise InputError(f"{path}: {_kind(value)} is not a text, a list of parts or null")
    parts = tuple(part(item, f"{path}[{i}]") for i, item in enumerate(value))
    if not parts:
        raise InputError(f"{path}: an empty list of parts; use a text or null")
    if all(
        part.kind == "text" and set(json.loads(part.json)) == {"type", "text"} for part in parts
    ):
        return "".join(p.text or "" for p in parts), ()
    return None, parts


def message(value: object, path: str = "message") -> Message:
    """Read one message given as a dictionary; ``path`` opens every error text."""
    if isinstance(value, Message):
        return value
    if not isinstance(value, Mapping):
        raise InputError(f"{path}: {_kind(value)} is not a message object")
    role = value.get("role")
    role = {"developer": "system"}.get(role, role) if isinstance(role, str) else role
    if role not in ROLES:
        raise InputError(f"{path}.role: {role!r} is not one of {', '.join(ROLES)}")
    content, parts = content_of(value.get("content"), f"{path}.content")
    calls = _calls(value.get("tool_calls"), f"{path}.tool_calls")
    if content is None and not parts and not calls:
        raise InputError(f"{path}.content: the {role} message has neither content nor tool calls")
    if calls and role != "assistant":
        raise InputError(
            f"{path}.tool_calls: only an assistant message calls tools, this is {role}"
        )
    result_for = _optional_text(value, "tool_call_id", path)
    if role == "tool" and not result_for:
        raise InputError(f"{path}.tool_call_id: a tool message must name the call that it answers")
    known = {"role", "content", "tool_calls", "tool_call_id", "name"}
    extra = {key: item for key, item in value.items() if key not in known and item is not None}
    return Message(
        role=role, content=content, parts=parts, tool_calls=calls, tool_call_id=result_for,
        name=_optional_text(value, "name", path), extra=_json(extra, path) if extra else "",
    )  # fmt: skip


def text_message(role: Role, value: object, path: str) -> Message:
    """A message from its content alone (``user=...``, ``question=...``)."""
    return message({"role": role, "content": value}, path)


def messages(value: object, path: str = "messages") -> tuple[Message, ...]:
    """Read a list of messages."""
    if not isinstance(value, Sequence) or isinstance(value, (str, bytes)):
        raise InputError(f"{path}: {_kind(value)} is not a list of messages")
    return tuple(message(item, f"{path}[{i}]") for i, item in enumerate(value))


def tools(value: object, path: str = "tools") -> tuple[Tool, ...]:
    """Read tool schemas: the OpenAI ``{"type": "function", ...}`` shape or a bare function."""
    if value is None:
        return ()
    if not isinstance(value, Sequence) or isinstance(value, (str, bytes)):
        raise InputError(f"{path}: {_kind(value)} is not a list of tool schemas")
    return tuple(_tool(item, f"{path}[{i}]") for i, item in enumerate(value))


def _tool(value: object, path: str) -> Tool:
    if isinstance(value, Tool):
        return value
    if not isinstance(value, Mapping):
        raise InputError(f"{path}: {_kind(value)} is not a tool schema object")
    inner = value.get("function", value)
    name = inner.get("name") if isinstance(inner, Mapping) else None
    if not isinstance(name, str) or not name:
        raise InputError(f"{path}.name: a tool schema needs a name")
    return Tool(name=name, json=_json(value, path))


def group(items: Sequence[Message], first_number: int, path: str = "messages") -> tuple[Turn, ...]:
    """Cut a flat list of messages into turns, each opened by a user's words.

    A message that only answers tool calls never opens a turn. Users who write twice in a
    row make two turns unless nothing answered the first: then both stand in one turn.
    """
    turns: list[list[Message]] = []
    for i, item in enumerate(items):
        if item.role == "system":
            raise InputError(
                f"{path}[{i}].role: a system message inside a conversation; "
                "pass it as instructions= when you build the request"
            )
        speaks = spoken(item)
        unanswered = bool(turns) and all(m.role == "user" for m in turns[-1])
        if not turns or (speaks and not unanswered):
            turns.append([])
        turns[-1].append(item)
    grouped = tuple(
        Turn(number=first_number + i, messages=tuple(found)) for i, found in enumerate(turns)
    )
    for turn in grouped:
        check_pairs(turn, path)
    return grouped


def check_pairs(turn: Turn, path: str) -> None:
    """Refuse a tool result inside ``turn`` that answers no call made before it."""
    made: set[str] = set()
    for item in turn.messages:
        for answered in results_of(item):
            if answered not in made:
                raise InputError(
                    f"{path}: a tool result answers the call {answered!r}, which no assistant "
                    f"message before it in turn {turn.number} makes"
                )
        made.update(calls_of(item))


def part(value: object, path: str) -> Part:
    """Read one part of a part-list content."""
    if isinstance(value, str):
        value = {"type": "text", "text": value}
    if not isinstance(value, Mapping):
        raise InputError(f"{path}: {_kind(value)} is not a content part")
    kind = value.get("type")
    if not isinstance(kind, str):
        raise InputError(f"{path}.type: a content part needs a type such as 'text'")
    as_json = _json(value, path)
    if kind in _TEXT:
        text = value.get("text")
        if not isinstance(text, str):
            raise InputError(f"{path}.text: {_kind(text)} is not a text")
        _check_text(text, f"{path}.text")
        return Part(kind="text", json=as_json, text=text)
    for part_kind, key in (("tool_use", "id"), ("tool_result", "tool_use_id")):
        if kind == part_kind and not (isinstance(value.get(key), str) and value[key]):
            raise InputError(f"{path}.{key}: a {kind} part needs it, or call and result part")
    if kind == "tool_result":
        return Part(kind="tool_result", json=as_json, text=_result_text(value.get("content")))
    return Part(kind=_kind_of(kind), json=as_json)


def _kind_of(kind: str) -> PartKind:
    if kind in _MEDIA:
        return "media"
    if kind in _THINKING:
        return "thinking"
    return "tool_use" if kind == "tool_use" else "other"


def _result_text(content: object) -> str | None:
    if isinstance(content, str):
        return content
    if isinstance(content, Sequence):
        texts = [str(p["text"]) for p in content if isinstance(p, Mapping) and "text" in p]
        return "\n".join(texts) if texts else None
    return None


def _calls(value: object, path: str) -> tuple[ToolCall, ...]:
    if value is None:
        return ()
    if not isinstance(value, Sequence) or isinstance(value, (str, bytes)):
        raise InputError(f"{path}: {_kind(value)} is not a list of tool calls")
    return tuple(_call(item, f"{path}[{i}]") for i, item in enumerate(value))


def _call(value: object, path: str) -> ToolCall:
    if not isinstance(value, Mapping):
        raise InputError(f"{path}: {_kind(value)} is not a tool call object")
    id, function = value.get("id"), value.get("function")
    if not isinstance(id, str) or not id:
        raise InputError(f"{path}.id: a tool call needs an id, or no result can answer it")
    if not isinstance(function, Mapping) or not isinstance(function.get("name"), str):
        raise InputError(f"{path}.function.name: a tool call needs the name of its function")
    return ToolCall(id=id, name=function["name"], json=_json(value, path))


def _optional_text(value: Mapping[str, Any], key: str, path: str) -> str | None:
    found = value.get(key)
    if found is not None and not isinstance(found, str):
        raise InputError(f"{path}.{key}: {_kind(found)} is not a text")
    return found


def _check_text(value: str | None, path: str) -> None:
    # A lone surrogate cannot be encoded, so it can be neither stored nor counted.
    if value is not None:
        try:
            value.encode("utf-8")
        except UnicodeEncodeError as error:
            raise InputError(
                f"{path}: character {error.start} is half of a surrogate pair and is not text"
            ) from None


def _json(value: Mapping[str, Any], path: str) -> str:
    try:
        text = canonical(value)
        text.encode("utf-8")
    except (TypeError, ValueError) as error:
        raise InputError(f"{path}: cannot be written as JSON ({error})") from None
    return text


def _kind(value: object) -> str:
    return "null" if value is None else f"{value!r:.60} ({type(value).__name__})"
