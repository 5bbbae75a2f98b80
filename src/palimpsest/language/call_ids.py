"""The ids that pair calls with their results, in either of the two usual shapes.

They are the program's own and stay as they are, unless one holds what is gone. Then it gets
another name in its whole turn, so that calls and results still find each other.

Invariant: two ids of a turn that differed still differ.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from itertools import count

from palimpsest.types import Message, Part, Turn, calls_of, canonical, results_of

_KEYS = {"tool_use": "id", "tool_result": "tool_use_id"}


def ids_of(message: Message) -> tuple[str, ...]:
    """Every id of a message: those of its calls, then those that it answers."""
    return (*calls_of(message), *results_of(message))


def renamed(message: Message, names: Mapping[str, str]) -> Message:
    """The message with other ids; one that ``names`` does not hold stays."""
    calls = [
        dataclasses.replace(
            call, id=names[call.id], json=canonical({**json.loads(call.json), "id": names[call.id]})
        )
        if call.id in names
        else call
        for call in message.tool_calls
    ]
    answers = message.tool_call_id
    return dataclasses.replace(
        message, tool_calls=tuple(calls), parts=tuple(_part(p, names) for p in message.parts),
        tool_call_id=answers if answers is None else names.get(answers, answers),
    )  # fmt: skip


def without(turn: Turn, gone: Sequence[str]) -> Turn:
    """The turn with a name of no meaning for each id that is gone."""
    taken = {id for message in turn.messages for id in ids_of(message)} - set(gone)
    free = (name for number in count(1) if (name := f"call-{number}") not in taken)
    names = dict(zip(dict.fromkeys(gone), free, strict=False))
    return dataclasses.replace(turn, messages=tuple(renamed(m, names) for m in turn.messages))


def _part(part: Part, names: Mapping[str, str]) -> Part:
    key = _KEYS.get(part.kind)
    data = json.loads(part.json) if key else {}
    if key is None or data.get(key) not in names:
        return part
    return dataclasses.replace(part, json=canonical({**data, key: names[data[key]]}))
