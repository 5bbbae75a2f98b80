"""LlamaIndex's chat messages to those of a chat API and back, without losing what a model is sent.

Calls stand in blocks or in ``additional_kwargs``, by provider; both are read, blocks are written.
Images, sounds, videos and documents pass as addresses or data. Citations are refused.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any

from llama_index.core.base.llms.types import (
    AudioBlock,
    CachePoint,
    ChatMessage,
    ContentBlock,
    DocumentBlock,
    ImageBlock,
    MessageRole,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    VideoBlock,
)

from palimpsest.errors import InputError

_ROLES: Mapping[str, str] = {
    "user": "user", "assistant": "assistant", "chatbot": "assistant", "model": "assistant",
    "system": "system", "developer": "system", "tool": "tool", "function": "tool",
}  # fmt: skip
_MEDIA: Mapping[str, type[AudioBlock | VideoBlock | DocumentBlock]] = {
    "audio": AudioBlock, "video": VideoBlock, "document": DocumentBlock,
}  # fmt: skip
_OWN = ("tool_calls", "tool_call_id", "session_id")
"""What LlamaIndex keeps beside a message and we say elsewhere, or never send."""


def to_chat(messages: Sequence[ChatMessage]) -> list[dict[str, Any]]:
    """The messages as the engine reads them; raises InputError with the place of a fault."""
    return [_to_chat(message, f"messages[{i}]") for i, message in enumerate(messages)]


def _to_chat(message: ChatMessage, path: str) -> dict[str, Any]:
    if not isinstance(message, ChatMessage):
        raise InputError(f"{path}: {message!r:.60} is not a ChatMessage of LlamaIndex")
    role = _ROLES[MessageRole(message.role).value]
    parts: list[dict[str, Any]] = []
    calls: list[dict[str, Any]] = []
    for i, block in enumerate(message.blocks):
        if isinstance(block, ToolCallBlock):
            calls.append(_call(block.tool_call_id, block.tool_name, block.tool_kwargs))
        elif not isinstance(block, CachePoint):
            # A cache point marks a place that another request does not have.
            parts.append(_part(block, f"{path}.blocks[{i}]"))
    held = {call["id"] for call in calls}
    beside = message.additional_kwargs.get("tool_calls") or ()
    calls += [call for call in map(_beside, beside) if call["id"] not in held]
    parts = [part for part in parts if part["type"] != "text" or part["text"]]
    content: Any = parts
    if all(part["type"] == "text" for part in parts):
        # Several texts are lines to LlamaIndex.
        content = "\n".join(part["text"] for part in parts) or (None if calls else "")
    kept = {k: v for k, v in message.additional_kwargs.items() if k not in _OWN and v is not None}
    made = {**kept, "role": role, "content": content}
    if calls:
        made["tool_calls"] = calls
    if role == "tool":
        made["tool_call_id"] = message.additional_kwargs.get("tool_call_id")
    return made


def _call(id: str | None, name: str, given: Any) -> dict[str, Any]:
    arguments = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def _beside(call: Any) -> dict[str, Any]:
    """A call as a provider's own class or dictionary has it."""
    data = call if isinstance(call, Mapping) else call.model_dump()
    function = data.get("function") or {}
    return _call(data.get("id"), function.get("name") or "", function.get("arguments") or "")


def _part(block: ContentBlock, path: str) -> dict[str, Any]:
    if isinstance(block, TextBlock):
        return {"type": "text", "text": block.text}
    if isinstance(block, ThinkingBlock):
        thought = {"type": "thinking", "thinking": block.content or ""}
        return {**thought, **block.additional_information}
    if isinstance(block, ImageBlock):
        image = {"url": _address(block)} | ({"detail": block.detail} if block.detail else {})
        return {"type": "image_url", "image_url": image}
    for kind, made in _MEDIA.items():
        if isinstance(block, made):
            dumped = block.model_dump(mode="json", exclude_none=True, exclude={"block_type"})
            return {"type": kind, kind: dumped}
    raise InputError(
        f"{path}: a {type(block).__name__} is no part of a chat message; known: texts, images, "
        "sounds, videos, documents, thoughts and tool calls"
    )


def _address(block: ImageBlock) -> str:
    if block.url is not None:
        return str(block.url)
    data = block.resolve_image(as_base64=True).read().decode()
    return f"data:{block.image_mimetype or 'image/png'};base64,{data}"


def from_chat(messages: Sequence[Mapping[str, Any]]) -> list[ChatMessage]:
    """The messages of a request as LlamaIndex's models take them."""
    return [_from_chat(message) for message in messages]


def _from_chat(message: Mapping[str, Any]) -> ChatMessage:
    content = message.get("content")
    given = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
    blocks: list[Any] = [_block(part) for part in given]
    calls = message.get("tool_calls") or ()
    blocks += [_called(call) for call in calls]
    known = {"role", "content", "tool_calls"}
    kept = {key: value for key, value in message.items() if key not in known}
    if calls:
        # Models of a provider read the calls here, others in the blocks.
        kept["tool_calls"] = [dict(call) for call in calls]
    return ChatMessage(role=MessageRole(message["role"]), blocks=blocks, additional_kwargs=kept)


def _called(call: Mapping[str, Any]) -> ToolCallBlock:
    function = call["function"]
    try:
        given = json.loads(function.get("arguments") or "{}")
    except ValueError:
        given = None
    kwargs = given if isinstance(given, dict) else function.get("arguments", "")
    return ToolCallBlock(tool_call_id=call["id"], tool_name=function["name"], tool_kwargs=kwargs)


def _block(part: Mapping[str, Any]) -> Any:
    kind = part["type"]
    if kind == "image_url":
        return _image(part["image_url"])
    if kind in _MEDIA:
        return _MEDIA[kind](**part[kind])
    if kind == "thinking":
        told = {key: value for key, value in part.items() if key not in ("type", "thinking")}
        return ThinkingBlock(content=part["thinking"], additional_information=told)
    if "text" in part:
        return TextBlock(text=part["text"])
    raise InputError(f"a part of type {kind!r} has no place in a message of LlamaIndex")


def _image(image: Mapping[str, Any]) -> ImageBlock:
    url, detail = image["url"], image.get("detail")
    if not url.startswith("data:"):
        return ImageBlock(url=url, detail=detail)
    kind, _, data = url.removeprefix("data:").partition(";base64,")
    return ImageBlock(image=base64.b64decode(data), image_mimetype=kind, detail=detail)
