"""The items of the OpenAI Agents SDK as chat messages, and back.

The way in is the SDK's own conversion. Invariant: what the engine can store comes back as items
that mean the same; what only the server that made it can use (thoughts, ids, calls of hosted
tools) is left out, and a part that cannot be expressed is an error that names it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agents import Agent, FunctionTool, Handoff, UserError, handoff
from agents.items import TResponseInputItem
from agents.models.chatcmpl_converter import Converter
from agents.models.fake_id import FAKE_RESPONSES_ID

from palimpsest.errors import InputError

_KEPT = frozenset({"message", "function_call", "function_call_output"})
_TOLD = frozenset({"system", "developer"})


def to_chat(items: Sequence[TResponseInputItem]) -> list[dict[str, Any]]:
    """OpenAI-style chat messages of items; raises InputError."""
    # An item without a type is a message in its short form.
    said = [item for item in items if item.get("type", "message") in _KEPT]
    try:
        made = Converter.items_to_messages(said, preserve_tool_output_all_content=True)
    except UserError as error:
        raise InputError(f"items: {error}") from None
    return [_plain(dict(message)) for message in made]


def from_chat(messages: Sequence[Mapping[str, Any]]) -> list[TResponseInputItem]:
    """The items of chat messages, in the form in which the SDK stores them; raises InputError."""
    return [item for message in messages for item in _items(message)]


def schemas(agent: Agent[Any]) -> list[dict[str, Any]]:
    """What an agent offers its model beside hosted tools: functions and handoffs."""
    found: list[Any] = [
        Converter.tool_to_openai(tool) for tool in agent.tools if isinstance(tool, FunctionTool)
    ]
    for other in agent.handoffs:
        made = other if isinstance(other, Handoff) else handoff(other)
        found.append(Converter.convert_handoff_tool(made))
    return [dict(each) for each in found]


def _plain(message: dict[str, Any]) -> dict[str, Any]:
    """The message without what the conversion adds to it."""
    if message["role"] in _TOLD:
        return {**message, "role": "system"}
    for part in message["content"] if isinstance(message.get("content"), list) else ():
        if part["type"] == "image_url" and part["image_url"].get("detail") == "auto":
            part["image_url"] = {"url": part["image_url"]["url"]}
    return message


def _items(message: Mapping[str, Any]) -> Iterator[Any]:
    role, content = message["role"], message.get("content")
    if role == "tool":
        yield {
            "type": "function_call_output", "call_id": message["tool_call_id"],
            "output": _parts(content),
        }  # fmt: skip
    elif role == "assistant":
        parts = list(_answer(content, message.get("refusal")))
        if parts:
            yield {
                "type": "message", "role": "assistant", "status": "completed", "content": parts,
                "id": FAKE_RESPONSES_ID,
            }  # fmt: skip
        for call in message.get("tool_calls", ()):
            asked = call["function"]
            yield {
                "type": "function_call", "call_id": call["id"], "name": asked["name"],
                "arguments": asked["arguments"],
            }  # fmt: skip
    else:
        yield {"role": role, "content": _parts(content)}


def _answer(content: Any, refusal: Any) -> Iterator[dict[str, Any]]:
    texts = [content] if isinstance(content, str) else [_text(part) for part in content or ()]
    for text in texts:
        if text:
            yield {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
    if refusal:
        yield {"type": "refusal", "refusal": refusal}


def _text(part: Mapping[str, Any]) -> str:
    if part.get("type") != "text":
        raise InputError(
            f"content: an answer with a part of the type {part.get('type')!r} has no item; the "
            "types are: text"
        )
    return str(part["text"])


def _parts(content: Any) -> Any:
    """A text, or the parts of a content in the words of the Responses API."""
    if content is None or isinstance(content, str):
        return content or ""
    return [_part(part) for part in content]


def _rest(shown: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in shown.items() if key != "url"}


def _part(part: Mapping[str, Any]) -> dict[str, Any]:
    kind = part.get("type")
    if kind == "text":
        return {"type": "input_text", "text": part["text"]}
    if kind == "image_url":
        shown = part["image_url"]
        return {"type": "input_image", "detail": "auto", "image_url": shown["url"], **_rest(shown)}
    if kind == "file":
        return {"type": "input_file", **part["file"]}
    if kind == "input_audio":
        return dict(part)
    raise InputError(
        f"content: a part of the type {kind!r} has no item; the types are: text, image_url, file, "
        f"input_audio ({json.dumps(sorted(part))})"
    )
