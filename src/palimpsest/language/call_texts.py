"""The texts inside the arguments of tool calls: what a model passed on, as editable texts.

Every key, text and number of the arguments is one, in the order in which they stand.
Invariant: an edit changes the text that it names and keeps the number of texts; what a
call is, its id and the function's name stay as they were given.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from palimpsest.types import Message, canonical

_Edit = Callable[[str], str]


def call_texts(message: Message) -> tuple[str, ...]:
    """The texts of every call of a message, in either of the two usual shapes."""
    if not message.tool_calls and not message.parts:
        return ()
    return tuple(text for arguments in _arguments(message) for text in _leaves(_parsed(arguments)))


def with_call_text(message: Message, index: int, edit: _Edit) -> Message:
    """The message with text ``index`` of ``call_texts`` edited."""
    calls, at = list(message.tool_calls), 0
    for place, call in enumerate(calls):
        data = json.loads(call.json)
        given = data["function"].get("arguments")
        number = len(list(_leaves(_parsed(given))))
        if at <= index < at + number:
            data["function"]["arguments"] = _written(given, _mapped(given, index - at, edit))
            calls[place] = dataclasses.replace(call, json=canonical(data))
            return dataclasses.replace(message, tool_calls=tuple(calls))
        at += number
    parts = list(message.parts)
    for place, part in enumerate(parts):
        if part.kind != "tool_use":
            continue
        data = json.loads(part.json)
        number = len(list(_leaves(_parsed(data.get("input")))))
        if at <= index < at + number:
            data["input"] = _written(data["input"], _mapped(data["input"], index - at, edit))
            parts[place] = dataclasses.replace(part, json=canonical(data))
            return dataclasses.replace(message, parts=tuple(parts))
        at += number
    raise AssertionError(f"the calls have no text {index}")


def _arguments(message: Message) -> Iterator[Any]:
    for call in message.tool_calls:
        yield json.loads(call.json)["function"].get("arguments")
    for part in message.parts:
        if part.kind == "tool_use":
            yield json.loads(part.json).get("input")


def _parsed(arguments: Any) -> Any:
    """Arguments arrive as JSON text or as the object itself; any other text is one text."""
    if isinstance(arguments, str):
        try:
            read = json.loads(arguments)
        except (ValueError, RecursionError):
            return arguments
        return read if isinstance(read, (dict, list)) else arguments
    return arguments


def _written(given: Any, edited: Any) -> Any:
    """The edited arguments in the form in which they were given."""
    if isinstance(given, str) and not isinstance(edited, str):
        return canonical(edited)
    return edited


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield key
            yield from _leaves(item)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item)
    elif (text := _text(value)) is not None:
        yield text


def _text(value: Any) -> str | None:
    if isinstance(value, str):
        return value
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return json.dumps(value) if number else None


def _mapped(arguments: Any, index: int, edit: _Edit) -> Any:
    at = -1

    def walk(value: Any) -> Any:
        nonlocal at
        if isinstance(value, Mapping):
            made: dict[str, Any] = {}
            for key, item in value.items():
                at += 1
                name = edit(key) if at == index else key
                # Two keys that become one would lose a value.
                while name in made:
                    name += "_"
                made[name] = walk(item)
            return made
        if isinstance(value, list):
            return [walk(item) for item in value]
        text = _text(value)
        if text is None:
            return value
        at += 1
        return edit(text) if at == index else value

    return walk(_parsed(arguments))
