"""The form of the messages that a chat template accepts, without losing a word.

Templates of some models know no system role, or refuse two neighbours of one role. For
those, the system text opens the first user message and neighbours are joined by a blank
line. Messages with calls, results or thinking are never joined: they go whole or not.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from palimpsest.types import Frame, Message, Part, canonical, results_of

SEPARATOR = "\n\n"


def shapes(frame: Frame) -> bool:
    """True when a template needs its messages changed."""
    return frame.alternates or not frame.system_role


def shape(messages: Sequence[Message], frame: Frame) -> tuple[Message, ...]:
    """The messages as ``frame`` takes them; the same messages where it takes any."""
    found = tuple(messages)
    if not frame.system_role:
        found = _folded(found)
    return _alternating(found) if frame.alternates else found


def _folded(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    if len(messages) < 2 or messages[0].role != "system":
        return messages
    system, first, *rest = messages
    if first.role != "user":
        return (dataclasses.replace(system, role="user"), first, *rest)
    return (_joined(dataclasses.replace(system, role="user"), first), *rest)


def _alternating(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    found: list[Message] = []
    for message in messages:
        if found and found[-1].role == message.role and _plain(found[-1]) and _plain(message):
            found[-1] = _joined(found[-1], message)
        else:
            found.append(message)
    return tuple(found)


def _plain(message: Message) -> bool:
    kinds = {part.kind for part in message.parts}
    return (
        message.role in ("user", "assistant")
        and not message.tool_calls
        and not results_of(message)
        and kinds <= {"text", "media", "gone"}
    )


def _joined(first: Message, second: Message) -> Message:
    if first.content is not None and second.content is not None:
        text = f"{first.content}{SEPARATOR}{second.content}"
        return dataclasses.replace(second, content=text, name=None, extra="")
    parts = (*_parts(first), _text_part(SEPARATOR), *_parts(second))
    return dataclasses.replace(second, content=None, parts=parts, name=None, extra="")


def _parts(message: Message) -> tuple[Part, ...]:
    return message.parts or (_text_part(message.content or ""),)


def _text_part(text: str) -> Part:
    return Part(kind="text", json=canonical({"type": "text", "text": text}), text=text)
