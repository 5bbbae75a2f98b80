"""A conversation with every text of it masked: words, names, calls and their results.

Pictures and a model's thoughts are not masked but left out, since nobody can read them here.
Invariant: the turns and the order of their messages stay; the ids of calls stay.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from palimpsest import messages
from palimpsest.bench.label.conversations import Talk
from palimpsest.language import json_texts
from palimpsest.types import Message, Tool, Turn, canonical

Words = Callable[[str], str]
_IDS = frozenset({"id", "tool_call_id", "tool_use_id", "type", "role"})
MEDIA = "[media]"
"""In the place of a picture, a sound or a file."""


def texts_of(talk: Talk) -> Iterator[str]:
    """Every text of a conversation, in its order."""
    if talk.instructions:
        yield talk.instructions
    for turn in talk.turns:
        for message in turn.messages:
            for piece in _pieces(message):
                yield from json_texts.texts(piece, _without_ids)


def masked(talk: Talk, words: Words) -> Talk:
    """The conversation with every text given to ``words``."""
    return Talk(
        turns=tuple(
            Turn(number=t.number, messages=tuple(_message(m, words) for m in t.messages))
            for t in talk.turns
        ),
        instructions=words(talk.instructions) if talk.instructions else None,
        tools=tuple(
            Tool(name=tool.name, json=canonical(_json(tool.as_dict(), words)))
            for tool in talk.tools
        ),
    )


def _without_ids(path: json_texts.Path) -> json_texts.Reach:
    return "none" if path[-1] in _IDS else "value"


def _pieces(message: Message) -> Iterator[Any]:
    """What of a message is masked, as JSON data."""
    yield message.name or ""
    if message.content is not None:
        yield message.content
    for part in message.parts:
        if part.kind in ("text", "tool_use", "tool_result"):
            yield json.loads(part.json)
    for call in message.tool_calls:
        yield _arguments(json.loads(call.json))


def _message(message: Message, words: Words) -> Message:
    made: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.content is not None:
        made["content"] = words(message.content)
    elif message.parts:
        made["content"] = [part for p in message.parts if (part := _part(p.kind, p.json, words))]
        made["content"] = made["content"] or ""
    if message.name:
        made["name"] = words(message.name)
    if message.tool_calls:
        made["tool_calls"] = [_call(json.loads(call.json), words) for call in message.tool_calls]
    if message.tool_call_id is not None:
        made["tool_call_id"] = message.tool_call_id
    return messages.message(made)


def _part(kind: str, given: str, words: Words) -> dict[str, Any] | None:
    if kind == "media":
        return {"type": "text", "text": MEDIA}
    if kind not in ("text", "tool_use", "tool_result"):
        return None
    part: dict[str, Any] = _json(json.loads(given), words)
    return part


def _call(call: Mapping[str, Any], words: Words) -> dict[str, Any]:
    function = dict(call["function"])
    read = _arguments(call)
    if isinstance(read, str):
        function["arguments"] = words(read)
    else:
        told = _json(read, words)
        whole = isinstance(function.get("arguments"), str)
        function["arguments"] = json.dumps(told, ensure_ascii=False) if whole else told
    return {**call, "function": function}


def _arguments(call: Mapping[str, Any]) -> Any:
    """The arguments of a call as data; as text where they are no JSON."""
    given = call.get("function", {}).get("arguments")
    if not isinstance(given, str):
        return given
    try:
        return json.loads(given)
    except (ValueError, RecursionError):
        return given


def _json(value: Any, words: Words) -> Any:
    if isinstance(value, str):
        return words(value)
    if isinstance(value, Mapping):
        # A key is a word of a schema, or somebody: {"jsmythe": "owner"}.
        return {words(k): v if k in _IDS else _json(v, words) for k, v in value.items()}
    if isinstance(value, list):
        return [_json(item, words) for item in value]
    if isinstance(value, int) and not isinstance(value, bool):
        changed = words(str(value))
        return int(changed) if changed.lstrip("-").isdigit() else changed
    if isinstance(value, float) and (changed := words(str(value))) != str(value):
        return changed
    return value
