"""The texts inside messages: who wrote each, and edits that leave everything else alone.

A text is named by its index in ``searched``: those of ``Message.texts``, then those of
``carried_texts``. Invariant: after ``edited`` the text at that index is the old one
with the edits applied, and no other key of its part changed.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from palimpsest.language.carried_texts import carried_texts, with_carried_text
from palimpsest.types import Message, Part, Role, canonical


class Edit(NamedTuple):
    """Put ``text`` in place of the characters from ``start`` to ``end``."""

    start: int
    end: int
    text: str


def roles(message: Message) -> tuple[Role, ...]:
    """Who wrote each text: a tool result inside a user message is the tool's."""
    if message.content is not None:
        return (message.role,)
    return tuple(
        "tool" if part.kind == "tool_result" else message.role
        for part in message.parts
        if part.text is not None
    )


def searched(message: Message) -> tuple[tuple[Role, str], ...]:
    """Every text that may repeat a statement, and who wrote it: words, then what is carried.

    What a user's message carries beside its words is a program's, not the user's.
    """
    words = zip(roles(message), message.texts(), strict=True)
    carrier: Role = "tool" if message.role == "user" else message.role
    return (*words, *((carrier, text) for text in carried_texts(message)))


def edited(message: Message, index: int, edits: Sequence[Edit]) -> Message:
    """The message with edits in one of its texts; they must be in order and apart."""
    words = len(message.texts())
    if index >= words:
        return with_carried_text(message, index - words, lambda text: _applied(text, edits))
    if message.content is not None:
        return dataclasses.replace(message, content=_applied(message.content, edits))
    place = [i for i, part in enumerate(message.parts) if part.text is not None][index]
    parts = list(message.parts)
    parts[place] = _edited_part(parts[place], edits)
    return dataclasses.replace(message, parts=tuple(parts))


def _edited_part(part: Part, edits: Sequence[Edit]) -> Part:
    assert part.text is not None
    data: dict[str, Any] = json.loads(part.json)
    text = _applied(part.text, edits)
    if part.kind != "tool_result":
        data["text"] = text
    elif isinstance(data["content"], str):
        data["content"] = text
    else:
        data["content"] = _edited_pieces(data["content"], edits)
    return dataclasses.replace(part, json=canonical(data), text=text)


def _edited_pieces(content: Sequence[Any], edits: Sequence[Edit]) -> list[Any]:
    """Edit a result given as several text pieces, which count as joined by newlines.

    An edit over the end of a piece draws the pieces that it touches into one.
    """
    items = list(content)
    for edit in reversed(edits):
        starts: list[tuple[int, int]] = []
        offset = 0
        for i, item in enumerate(items):
            if isinstance(item, Mapping) and "text" in item:
                starts.append((i, offset))
                offset += len(str(item["text"])) + 1
        first, start = next(
            (i, at) for i, at in starts if edit.start <= at + len(str(items[i]["text"]))
        )
        last, end = next(
            (i, at)
            for i, at in starts
            if i >= first and edit.end <= at + len(str(items[i]["text"]))
        )
        head = str(items[first]["text"])[: edit.start - start]
        tail = str(items[last]["text"])[edit.end - end :]
        drawn_in = {i for i, _ in starts if first < i <= last}
        items[first] = {**items[first], "text": head + edit.text + tail}
        items = [item for i, item in enumerate(items) if i not in drawn_in]
    return items


def _applied(text: str, edits: Sequence[Edit]) -> str:
    pieces: list[str] = []
    at = 0
    for edit in edits:
        assert at <= edit.start <= edit.end <= len(text), f"{edit} does not fit after {at}"
        pieces += (text[at : edit.start], edit.text)
        at = edit.end
    return "".join((*pieces, text[at:]))
