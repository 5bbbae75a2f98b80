"""The texts that a message carries beside its words: arguments of calls, unknown keys.

A model passes a value on in a call as it does in a sentence, and a server's own keys
(``reasoning_content``, say) are sent back with the message. Every key, text and number in
them is one text, in the order in which they stand. Invariant: an edit changes the text that
it names and keeps the number of texts; ids and names of calls stay as they were given.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from palimpsest.types import Message, canonical

_Edit = Callable[[str], str]


class _Holder(NamedTuple):
    """One value of a message that holds texts, and how to put another in its place."""

    value: Any
    put: Callable[[Any], Message]


def carried_texts(message: Message) -> tuple[str, ...]:
    """The texts of the calls of a message, in either usual shape, then of its unknown keys."""
    if not (message.tool_calls or message.parts or message.extra):
        return ()
    return tuple(text for held in _holders(message) for text in _leaves(_parsed(held.value)))


def with_carried_text(message: Message, index: int, edit: _Edit) -> Message:
    """The message with text ``index`` of ``carried_texts`` edited."""
    for value, put in _holders(message):
        number = sum(1 for _ in _leaves(_parsed(value)))
        if index < number:
            return put(_edited(value, index, edit))
        index -= number
    raise AssertionError(f"{index} texts too few are carried by this message")


def _holders(message: Message) -> Iterator[_Holder]:
    for place, call in enumerate(message.tool_calls):
        yield _Holder(
            json.loads(call.json)["function"].get("arguments"), _into_call(message, place)
        )
    for place, part in enumerate(message.parts):
        if part.kind == "tool_use":
            yield _Holder(json.loads(part.json).get("input"), _into_part(message, place))
    if message.extra:
        yield _Holder(
            json.loads(message.extra),
            lambda value: dataclasses.replace(message, extra=canonical(value)),
        )


def _into_call(message: Message, place: int) -> Callable[[Any], Message]:
    def put(value: Any) -> Message:
        call = message.tool_calls[place]
        data = json.loads(call.json)
        data["function"]["arguments"] = value
        calls = list(message.tool_calls)
        calls[place] = dataclasses.replace(call, json=canonical(data))
        return dataclasses.replace(message, tool_calls=tuple(calls))

    return put


def _into_part(message: Message, place: int) -> Callable[[Any], Message]:
    def put(value: Any) -> Message:
        part = message.parts[place]
        parts = list(message.parts)
        changed = canonical({**json.loads(part.json), "input": value})
        parts[place] = dataclasses.replace(part, json=changed)
        return dataclasses.replace(message, parts=tuple(parts))

    return put


def _parsed(value: Any) -> Any:
    """Arguments arrive as JSON text or as the object itself; any other text is one text."""
    if not isinstance(value, str):
        return value
    try:
        read = json.loads(
            value, object_pairs_hook=_no_twins, parse_float=_finite, parse_constant=_finite
        )
        # Half of a surrogate pair can be written as an escape and cannot be stored as text.
        canonical([read]).encode()
    except (ValueError, RecursionError):
        return value
    return read if isinstance(read, (dict, list)) else value


def _no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a key stands twice, and reading would lose a value that is sent")
    return made


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("a number that cannot be written again")
    return number


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


def _edited(value: Any, index: int, edit: _Edit) -> Any:
    """The value with one of its texts edited, in the form in which it was given."""
    read = _parsed(value)
    changed = _mapped(read, iter(range(index, -1, -1)), edit)
    if not isinstance(value, str):
        return changed
    if not isinstance(read, str):
        return canonical(changed)
    # One text stays one text, even where what is left of it happens to read as JSON.
    return changed if isinstance(_parsed(changed), str) else f"{changed}."


def _mapped(value: Any, left: Iterator[int], edit: _Edit) -> Any:
    """``left`` counts down to the text that is edited: 0 names it."""
    if isinstance(value, Mapping):
        made: dict[str, Any] = {}
        for key, item in value.items():
            name = edit(key) if next(left, None) == 0 else key
            # Two keys that become one would lose a value.
            while name in made:
                name += "_"
            made[name] = _mapped(item, left, edit)
        return made
    if isinstance(value, list):
        return [_mapped(item, left, edit) for item in value]
    text = _text(value)
    if text is None:
        return value
    return edit(text) if next(left, None) == 0 else value
