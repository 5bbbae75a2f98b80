"""pydantic-ai's messages to chat messages and back, without losing what a model is sent.

A request's parts are messages of their own here: prompts, tool returns, system prompts. Images,
sounds and documents pass by their address or as data. A call of an output tool that was accepted
is what the run answered, so it becomes the answer. What no chat message can say is refused.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from pydantic_ai.messages import (
    AudioUrl,
    BinaryContent,
    CachePoint,
    DocumentUrl,
    ImageUrl,
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    RetryFeedbackPart,
    RetryPromptPart,
    SystemPromptPart,
    TextContent,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
    VideoUrl,
)

from palimpsest.errors import InputError

OUTPUT_TOOL = "final_result"
"""What pydantic-ai calls its output tool where nobody names it."""
_URLS: Mapping[str, type[ImageUrl | AudioUrl | VideoUrl | DocumentUrl]] = {
    "image_url": ImageUrl, "audio_url": AudioUrl, "video_url": VideoUrl, "document": DocumentUrl,
}  # fmt: skip


def to_chat(
    messages: Sequence[ModelMessage], *, output_tools: Collection[str] = (OUTPUT_TOOL,)
) -> list[dict[str, Any]]:
    """The messages as the engine reads them; raises InputError with the place of a fault."""
    found: list[dict[str, Any]] = []
    outputs: dict[str, str] = {}
    began = 0
    for i, message in enumerate(messages):
        path = f"messages[{i}]"
        if isinstance(message, ModelResponse):
            began, outputs = len(found), _outputs(message, output_tools)
            found += _response(message, path)
        elif isinstance(message, ModelRequest):
            found += _request(message, path)
            taken = {
                part.tool_call_id: outputs[part.tool_call_id]
                for part in message.parts
                if isinstance(part, ToolReturnPart)
                and part.outcome == "success"
                and part.tool_call_id in outputs
            }
            if taken:
                found[began:] = _answered(found[began:], taken)
        else:
            raise InputError(f"{path}: {message!r:.60} is not a message of pydantic-ai")
    return found


def _outputs(message: ModelResponse, names: Collection[str]) -> dict[str, str]:
    """What the output tools were called with, by the id of the call."""
    calls = [part for part in message.parts if isinstance(part, ToolCallPart)]
    # Several outputs have one tool each, named for the first.
    starts = tuple(f"{name}_" for name in names)
    return {
        call.tool_call_id: _arguments(call)
        for call in calls
        if call.tool_name in names or call.tool_name.startswith(starts)
    }


def _answered(said: Sequence[dict[str, Any]], outputs: Mapping[str, str]) -> list[dict[str, Any]]:
    """The messages with the accepted output as the answer, in the place of its call and return."""
    kept: list[dict[str, Any]] = []
    for message in said:
        left = [c for c in message.get("tool_calls", ()) if c["id"] not in outputs]
        bare = {key: value for key, value in message.items() if key != "tool_calls"}
        silent = message["role"] == "assistant" and not left and not message["content"]
        if message.get("tool_call_id") not in outputs and not silent:
            kept.append({**bare, "tool_calls": left} if left else bare)
    return [*kept, {"role": "assistant", "content": "\n".join(outputs.values())}]


def _request(message: ModelRequest, path: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for i, part in enumerate(message.parts):
        where = f"{path}.parts[{i}]"
        if isinstance(part, SystemPromptPart):
            found.append({"role": "system", "content": part.content})
        elif isinstance(part, UserPromptPart):
            found.append({"role": "user", "content": _content(part.content, where)})
        elif isinstance(part, ToolReturnPart):
            found.append(_returned(part, where))
        elif isinstance(part, RetryPromptPart) and part.tool_name is not None:
            content = part.model_response()
            found.append(_result(part.tool_call_id, content, "retried"))
        else:
            raise InputError(
                f"{where}: a {type(part).__name__} is no chat message; known: SystemPromptPart, "
                "UserPromptPart, ToolReturnPart"
            )
    return found


def _returned(part: ToolReturnPart, path: str) -> dict[str, Any]:
    content: Any = part.model_response_str(wrap_if_error=False)
    if part.files:
        content = _content(part.content_items(mode="str", wrap_if_error=False), path)
    return _result(part.tool_call_id, content, part.outcome)


def _result(id: str, content: Any, outcome: str) -> dict[str, Any]:
    made: dict[str, Any] = {"role": "tool", "tool_call_id": id, "content": content}
    return made if outcome == "success" else {**made, "outcome": outcome}


def _content(given: str | Sequence[Any], path: str) -> str | list[dict[str, Any]]:
    if isinstance(given, str):
        return given
    # A cache point marks a place that another request does not have.
    items = [item for item in given if not isinstance(item, CachePoint)]
    return [_part(item, f"{path}.content[{i}]") for i, item in enumerate(items)] or ""


def _part(item: Any, path: str) -> dict[str, Any]:
    if isinstance(item, str):
        return {"type": "text", "text": item}
    if isinstance(item, TextContent):
        return {"type": "text", "text": item.content}
    for kind, url in _URLS.items():
        if isinstance(item, url):
            return {"type": kind, kind: {"url": item.url}}
    if isinstance(item, BinaryContent):
        if item.is_image:
            return {"type": "image_url", "image_url": {"url": item.data_uri}}
        return {"type": "file", "file": {"file_data": item.data_uri}}
    raise InputError(
        f"{path}: {type(item).__name__} is no part of a chat message; known: texts, addresses of "
        "images, sounds, videos and documents, and BinaryContent"
    )


def _response(message: ModelResponse, path: str) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = []
    calls: list[dict[str, Any]] = []
    for i, part in enumerate(message.parts):
        if isinstance(part, TextPart):
            parts += [{"type": "text", "text": part.content}] if part.content else []
        elif isinstance(part, ThinkingPart):
            thought = {"type": "thinking", "thinking": part.content, "signature": part.signature}
            parts.append({key: value for key, value in thought.items() if value is not None})
        elif isinstance(part, ToolCallPart):
            function = {"name": part.tool_name, "arguments": _arguments(part)}
            calls.append({"id": part.tool_call_id, "type": "function", "function": function})
        else:
            raise InputError(
                f"{path}.parts[{i}]: a {type(part).__name__} is no part of a chat message; known: "
                "TextPart, ThinkingPart, ToolCallPart"
            )
    content: Any = parts or None
    if all(part["type"] == "text" for part in parts):
        content = "".join(part["text"] for part in parts)
    made = {"role": "assistant", "content": content or (None if calls else "")}
    return [{**made, "tool_calls": calls} if calls else made]


def _arguments(part: ToolCallPart) -> str:
    """The arguments as the model wrote them, where they are still a text."""
    return part.args if isinstance(part.args, str) else json.dumps(part.args, ensure_ascii=False)


def from_chat(messages: Sequence[Mapping[str, Any]]) -> list[ModelMessage]:
    """The messages of a request as pydantic-ai's models take them, requests and responses."""
    found: list[ModelMessage] = []
    called: dict[str, str] = {}
    for message in messages:
        if message["role"] == "assistant":
            response = ModelResponse(parts=_response_parts(message))
            called |= {
                part.tool_call_id: part.tool_name
                for part in response.parts
                if isinstance(part, ToolCallPart)
            }
            found.append(response)
        else:
            earlier = found.pop().parts if found and isinstance(found[-1], ModelRequest) else ()
            found.append(ModelRequest(parts=[*earlier, _request_part(message, called)]))
    return found


def _request_part(message: Mapping[str, Any], called: Mapping[str, str]) -> ModelRequestPart:
    content = message["content"]
    if message["role"] == "system":
        text = content if isinstance(content, str) else "".join(p["text"] for p in content)
        return SystemPromptPart(content=text)
    given = content if isinstance(content, str) else [_item(part) for part in content]
    if message["role"] == "user":
        return UserPromptPart(content=given)
    id = message["tool_call_id"]
    return ToolReturnPart(
        tool_name=called.get(id, ""), content=given, tool_call_id=id,
        outcome=message.get("outcome", "success"),
    )  # fmt: skip


def _item(part: Mapping[str, Any]) -> Any:
    kind = part["type"]
    if kind in _URLS:
        url = part[kind]["url"]
        return BinaryContent.from_data_uri(url) if url.startswith("data:") else _URLS[kind](url=url)
    if kind == "file" and "file_data" in part["file"]:
        return BinaryContent.from_data_uri(part["file"]["file_data"])
    if kind == "input_audio":
        sound = part["input_audio"]
        return BinaryContent(
            data=base64.b64decode(sound["data"]), media_type=f"audio/{sound['format']}"
        )
    if "text" in part:
        return part["text"]
    raise InputError(f"a part of type {kind!r} has no place in a message of pydantic-ai")


def _response_parts(message: Mapping[str, Any]) -> list[ModelResponsePart]:
    content = message.get("content")
    given = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
    found: list[ModelResponsePart] = []
    for part in given:
        if part["type"] == "thinking":
            found.append(ThinkingPart(content=part["thinking"], signature=part.get("signature")))
        elif part["type"] == "tool_use":
            found.append(ToolCallPart(part["name"], json.dumps(part.get("input")), part["id"]))
        else:
            found.append(TextPart(content=_item(part)))
    for call in message.get("tool_calls") or ():
        function = call["function"]
        found.append(ToolCallPart(function["name"], function.get("arguments"), call["id"]))
    return found


def feedback(messages: Sequence[ModelMessage]) -> int:
    """How many messages at the end are an answer that was refused, and why it was.

    They belong to the call that is made now and to no history: the next answer takes their place.
    """
    at = len(messages)
    while at >= 2 and _refusal(messages[at - 1]):
        at -= 2
    return len(messages) - at


def _refusal(message: ModelMessage) -> bool:
    return isinstance(message, ModelRequest) and any(
        isinstance(part, RetryFeedbackPart)
        or (isinstance(part, RetryPromptPart) and part.tool_name is None)
        for part in message.parts
    )


def without_feedback(messages: Sequence[ModelMessage]) -> list[ModelMessage]:
    """The messages without answers that were refused, and without why they were."""
    kept: list[ModelMessage] = []
    for message in messages:
        if _refusal(message):
            kept = kept[:-1]
        else:
            kept.append(message)
    return kept
