"""Cuts a cleaned answer into sentences, with what stands around each that bears on it.

A list below a heading such as "No longer valid:" is old; so is what the next sentence points
back at and says was changed. Invariant: the sentences lie in the text in order, apart, and
none crosses a line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from palimpsest.language.answer_marks import Marks

_ENDS = re.compile(r"(?<=[.!?])(?<!\b[A-Z]\.)(?<!\b(?:Nov|Dec|Oct|Sep|Jan)\.)\s+(?=[^\s\d])|;\s*")
_ITEM = re.compile(r"^\s*(?:[-+•*]|\d+[.)])\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """One sentence of an answer; it begins at character ``start`` of the whole text."""

    text: str
    start: int
    old: bool = False
    """True under a heading of old values, or where the next sentence says so."""

    @property
    def end(self) -> int:
        """Where it ends in the whole text."""
        return self.start + len(self.text)

    @property
    def question(self) -> bool:
        """True for a sentence that asks."""
        return self.text.rstrip(" \"')*").endswith("?")


def sentences(
    text: str, marks: Marks, first_value: Callable[[int, int], int | None]
) -> Iterator[Sentence]:
    """The sentences of an answer, in order.

    ``first_value(start, end)`` is where the first value of the case stands in a span of the
    text, counted from ``start``; ``None`` where there is none.
    """
    under_old = False
    for begin, line in _lines(text):
        if not _ITEM.match(line):
            under_old = False
        said = list(_parts(line, begin))
        for place, (start, part) in enumerate(said):
            after = said[place + 1] if place + 1 < len(said) else None
            pointed = after is not None and _points_back(*after, marks, first_value)
            yield Sentence(text=part, start=start, old=under_old or pointed)
        if said and line.rstrip(" *_").endswith(":"):
            under_old = bool(marks.headings.search(said[-1][1]))


def _lines(text: str) -> Iterator[tuple[int, str]]:
    at = 0
    for line in text.splitlines(keepends=True):
        if line.strip():
            yield at, line.rstrip("\r\n")
        at += len(line)


def _parts(line: str, begin: int) -> Iterator[tuple[int, str]]:
    at = 0
    for end in [*_ENDS.finditer(line), None]:
        part = line[at : end.start() if end else len(line)]
        if part.strip():
            yield begin + at, part
        at = end.end() if end else at


def _points_back(
    start: int, sentence: str, marks: Marks, first_value: Callable[[int, int], int | None]
) -> bool:
    """True for "That has changed." and for "It was moved to ...", with no value before."""
    opening = marks.pointing.match(sentence.lstrip(" \"'("))
    said = marks.old_after.search(sentence) or marks.changed_to.search(sentence)
    if opening is None or said is None:
        return False
    value = first_value(start, start + len(sentence))
    return value is None or said.start() < value
