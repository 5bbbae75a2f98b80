"""Redacted spans shown as a marker, or taken out for good.

Invariant: nothing outside the spans changes, and a message keeps its shape.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from itertools import groupby

from palimpsest.language.message_text import Edit, edited
from palimpsest.types import Redaction, Turn


def redacted(turn: Turn, spans: Sequence[Redaction], marker: str) -> Turn:
    """The turn with ``marker`` in place of each span; a span without length gets one too."""
    messages = list(turn.messages)
    for (message, text), found in groupby(
        sorted(spans, key=_place), key=lambda span: (span.message, span.text)
    ):
        edits = [Edit(span.start, span.end, marker) for span in found]
        messages[message] = edited(messages[message], text, edits)
    return dataclasses.replace(turn, messages=tuple(messages))


def erased(turn: Turn, spans: Sequence[Redaction]) -> Turn:
    """The turn without the characters of the spans."""
    return redacted(turn, spans, "")


def _place(span: Redaction) -> tuple[int, int, int]:
    return span.message, span.text, span.start
