"""Redacted spans shown as a marker, or taken out for good.

Invariant: nothing outside the spans changes, and a message keeps its shape.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Sequence
from itertools import groupby

from palimpsest.language.call_ids import without
from palimpsest.language.message_text import Edit, edited, searched
from palimpsest.types import Message, Part, Redaction, Turn, canonical

Put = Callable[[Redaction, str], str]
"""What stands in place of a span, which held a text."""


def redacted(turn: Turn, spans: Sequence[Redaction], marker: str) -> Turn:
    """The turn with ``marker`` in place of each span; a span without length gets one too."""
    return _sent(turn, spans, marker, lambda span, text: marker)


def marked(turn: Turn, spans: Sequence[Redaction], marker: str, replaced: str) -> Turn:
    """The same, but a replaced statement is shown inside ``replaced`` (``{text}``): history.

    What was forgotten is not there to show, and what goes as a whole gets the marker.
    """

    def shown(span: Redaction, text: str) -> str:
        said = searched(turn.messages[span.message])[span.text]
        words = span.text < len(turn.messages[span.message].texts()) and not said.whole
        return replaced.format(text=text) if words and span.reason == "corrected" else marker

    return _sent(turn, spans, marker, shown)


def _sent(turn: Turn, spans: Sequence[Redaction], marker: str, put: Put) -> Turn:
    marked = _edited(turn, spans, put)
    touched = {span.message for span in spans}
    return dataclasses.replace(
        turn,
        messages=tuple(
            _sendable(message, marker) if i in touched else message
            for i, message in enumerate(marked.messages)
        ),
    )


def erased(turn: Turn, spans: Sequence[Redaction]) -> Turn:
    """The turn without the characters of the spans; every text keeps its index."""
    return _edited(turn, spans, lambda span, text: "")


def _edited(turn: Turn, spans: Sequence[Redaction], put: Put) -> Turn:
    messages = list(turn.messages)
    ids: list[str] = []
    for (message, index), found in groupby(
        sorted(spans, key=_place), key=lambda span: (span.message, span.text)
    ):
        here = searched(messages[message])[index]
        edits = [
            Edit(span.start, span.end, put(span, here.text[span.start : span.end]))
            for span in found
        ]
        if here.id:
            ids.append(here.text)
        else:
            messages[message] = edited(messages[message], index, edits)
    return without(dataclasses.replace(turn, messages=tuple(messages)), ids)


def _sendable(message: Message, marker: str) -> Message:
    """The message without what is gone: a thought leaves nothing, media leaves the marker."""
    others = message.others()
    cut = dataclasses.replace(
        message, name=message.name or None, extra=canonical(others) if others else ""
    )
    if all(part.kind != "gone" for part in message.parts):
        return cut
    parts = tuple(p for part in message.parts for p in _left_of(part, marker))
    if parts or message.tool_calls:
        return dataclasses.replace(cut, parts=parts)
    return dataclasses.replace(cut, content=marker, parts=())


def _left_of(part: Part, marker: str) -> tuple[Part, ...]:
    if part.kind != "gone":
        return (part,)
    if json.loads(part.json)["type"] == "thinking":
        return ()
    as_json = canonical({"type": "text", "text": marker})
    return (Part(kind="text", json=as_json, text=marker),)


def _place(span: Redaction) -> tuple[int, int, int]:
    return span.message, span.text, span.start
