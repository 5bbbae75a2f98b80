"""Which part of a request each piece of a sent message is.

Invariant: the spans of a message lie in its text in order, do not overlap, and leave out
nothing but what joins two parts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from palimpsest.bench.grade import text_of
from palimpsest.bench.replay import Replayed, Row
from palimpsest.types import spoken

SpanPart = Literal["instructions", "turn", "facts", "notes", "frame", "question", "redacted"]
Span = tuple[SpanPart, int, int]
"""The part, and where it starts and ends in the text of its message."""


def spans(run: Replayed, row: Row) -> tuple[tuple[Span, ...], ...]:
    """The spans of every message of a request."""
    sent = row.request.sent
    asked = next(p.question for p in run.suite.checkpoints if p.after == row.after)
    said = [i for i, m in enumerate(sent) if spoken(m)]
    last = said[-1] if said else -1
    found = []
    for place, message in enumerate(sent):
        text = text_of(message)
        if message.role == "system":
            found.append(tuple(_cut(run, text, "instructions", 0, len(text))))
        elif place == last:
            found.append(tuple(_last(run, row, text, "turn" if asked is None else "question")))
        else:
            found.append(tuple(_cut(run, text, "turn", 0, len(text))))
    return tuple(found)


def _last(run: Replayed, row: Row, text: str, rest: SpanPart) -> Iterator[Span]:
    """The last words of the user: the block of what is remembered, and what is asked."""
    settings = run.config.context
    for header in (settings.memory_header, settings.notes_header):
        opening, closing = f"{header}\n<{settings.block}>\n", f"\n</{settings.block}>\n"
        start = text.find(opening)
        end = text.find(closing, start + len(opening) - 1) if start >= 0 else -1
        if end >= 0:
            kind: SpanPart = "notes" if row.request.ledger.parts.get("notes") else "facts"
            inside = start + len(opening)
            yield from _cut(run, text, rest, 0, start)
            yield "frame", start, inside
            yield from _cut(run, text, kind, inside, end)
            yield "frame", end, end + len(closing)
            yield from _cut(run, text, rest, end + len(closing), len(text))
            return
    yield from _cut(run, text, rest, 0, len(text))


def _cut(run: Replayed, text: str, part: SpanPart, start: int, end: int) -> Iterator[Span]:
    """The piece between two places, with the markers of what was left out apart."""
    marker = run.config.context.redaction_marker
    at = text.find(marker, start, end) if marker else -1
    while at >= 0:
        if at > start:
            yield part, start, at
        start = at + len(marker)
        yield "redacted", at, start
        at = text.find(marker, start, end)
    if end > start:
        yield part, start, end
