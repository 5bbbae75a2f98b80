"""Sentences as spans of their text, so that a quote can always be cited exactly."""

from __future__ import annotations

import re
from collections.abc import Iterator

_BREAK = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])\s*|\s*[\r\n]+\s*")


def sentence_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield ``(start, end)`` of each sentence, without the blanks around it."""
    start = 0
    for found in _BREAK.finditer(text):
        yield from _trimmed(text, start, found.start())
        start = found.end()
    yield from _trimmed(text, start, len(text))


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    piece = text[start:end]
    kept = piece.strip()
    if kept:
        lead = len(piece) - len(piece.lstrip())
        yield start + lead, start + lead + len(kept)
