"""What a chat template is given for a message, and whether its output carries it.

The template sees a message without its media parts, tool-call arguments as objects and
texts joined where only texts remain. Invariant: a user's or tool's words, a called
function, or an offered tool that is missing from the output is a TemplateError: a request
that silently loses them has no honest count.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from palimpsest import messages
from palimpsest.errors import TemplateError
from palimpsest.types import Message, Part, Tool

MediaTokens = int | Callable[[Part], int] | None


class _Parts(list[Any]):
    """A raw part list. Printing it whole is how a template shows that it knows no parts."""

    def __str__(self) -> str:
        raise TemplateError("a list of content parts as program text")

    __repr__ = __str__


def template_message(message: Message) -> dict[str, Any]:
    """The message as a chat template takes it; media parts are left out."""
    data = message.others()
    data |= {"role": message.role, "content": _content(message)}
    if message.tool_calls:
        data["tool_calls"] = [_call(json.loads(call.json)) for call in message.tool_calls]
    if message.tool_call_id is not None:
        data["tool_call_id"] = message.tool_call_id
    if message.name:
        data["name"] = message.name
    return data


def template_tool(tool: Tool) -> dict[str, Any]:
    """The schema in the ``{"type": "function", ...}`` shape that templates expect."""
    schema = tool.as_dict()
    return schema if "function" in schema else {"type": "function", "function": schema}


def media_cost(message: Message, cost: MediaTokens, name: str) -> int:
    """The tokens of the media parts of a message; never their length in base64."""
    total = 0
    for part in message.parts:
        for media in _media_of(part):
            if cost is None:
                raise TemplateError(
                    f"{name}: a {message.role} message holds a media part and nothing says what "
                    "it costs; set media_tokens under [tokenizer], or give the tokenizer "
                    "media_tokens="
                )
            total += cost if isinstance(cost, int) else cost(media)
    return total


def check_carried(rendered: str, sent: Sequence[Message], tools: Sequence[Tool], name: str) -> None:
    """Raise TemplateError for the first thing that the output of a template lost."""
    for tool in tools:
        if tool.name not in rendered:
            raise TemplateError(
                f"{name}: the chat template does not write the tool {tool.name!r}, so a request "
                "with tools has no exact count; count with a tokenizer whose template takes tools"
            )
    at = 0
    for index, message in enumerate(sent):
        for what, text in _must_stand(message, name, index):
            # Words keep their order, so a repeated text is looked for behind the last one.
            start = 0 if message.role == "system" else at
            end = _find(rendered, text, start)
            if end < 0:
                raise TemplateError(
                    f"{name}: the chat template drops {what} of messages[{index}] "
                    f"({message.role}): {text!r:.60}; change that message, or count with a "
                    "tokenizer whose template carries it"
                )
            at = max(at, end) if message.role != "system" else at


def _content(message: Message) -> str | list[Any]:
    if not message.parts:
        return message.content or ""
    kept = [part for part in message.parts if part.kind not in ("media", "gone")]
    if all(part.kind == "text" for part in kept):
        return "".join(part.text or "" for part in kept)
    return _Parts(_raw(part) for part in kept)


def _raw(part: Part) -> dict[str, Any]:
    """The part as it was given; a tool result loses the media inside it."""
    data: dict[str, Any] = json.loads(part.json)
    if part.kind == "tool_result" and _media_of(part):
        kept = [inner for inner in _inner(part) if inner.kind != "media"]
        data["content"] = [json.loads(inner.json) for inner in kept]
    return data


def _media_of(part: Part) -> tuple[Part, ...]:
    """The media parts that a part is or, as a tool result, holds."""
    if part.kind == "media":
        return (part,)
    return tuple(inner for inner in _inner(part) if inner.kind == "media")


def _inner(part: Part) -> tuple[Part, ...]:
    """The parts inside a tool result, where its content is a list."""
    content = json.loads(part.json).get("content") if part.kind == "tool_result" else None
    if not isinstance(content, list):
        return ()
    return tuple(messages.part(item, f"tool_result.content[{i}]") for i, item in enumerate(content))


def _call(call: dict[str, Any]) -> dict[str, Any]:
    """Arguments arrive as JSON text; templates of the hub's convention want the object."""
    function = dict(call["function"])
    if isinstance(function.get("arguments"), str):
        try:
            arguments = json.loads(function["arguments"])
        except ValueError:
            arguments = None
        if isinstance(arguments, dict):
            function["arguments"] = arguments
    return {**call, "function": function}


def _must_stand(message: Message, name: str, index: int) -> Iterator[tuple[str, str]]:
    """What the output must hold, each with its name for the error."""
    for part in message.parts:
        if part.kind == "text":
            yield "a text part", part.text or ""
        elif part.kind == "tool_result":
            inner = _inner(part)
            for text in [item.text for item in inner] if inner else [part.text]:
                yield "a tool result", text or ""
        elif part.kind == "tool_use":
            yield "the tool call", str(json.loads(part.json).get("name", ""))
        elif part.kind == "other":
            kind = json.loads(part.json).get("type")
            raise TemplateError(
                f"{name}: messages[{index}] holds a content part of the unknown type {kind!r}; "
                "it cannot be counted: leave it out, or send it as text"
            )
    # An assistant's own text may be rewritten (old thoughts are cut off), and that is what
    # the model reads; a person's or a tool's words may not.
    if message.content is not None and message.role != "assistant":
        yield (
            ("a tool result" if message.role == "tool" else "the text"),
            message.content,
        )
    for call in message.tool_calls:
        yield "the tool call", call.name


def _find(rendered: str, text: str, start: int) -> int:
    """Where ``text`` first ends in the output from ``start`` on, plain or JSON-escaped; or -1."""
    plain = text.strip()
    forms = (plain, json.dumps(plain, ensure_ascii=False)[1:-1])
    # The later of the two may be another message that says the same.
    found = [(at, len(form)) for form in forms if (at := rendered.find(form, start)) >= 0]
    return sum(min(found)) if found else -1
