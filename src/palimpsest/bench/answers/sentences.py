"""Cuts a cleaned answer into sentences, with what stands around each that bears on it.

A list below a heading such as "No longer valid:" is old; so is what the next sentence points
back at and says was changed. Invariant: no sentence crosses a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from palimpsest.language.answer_marks import Marks

_ENDS = re.compile(r"(?<=[.!?])(?<!\b[A-Z]\.)(?<!\bNov\.)(?<!\bDec\.)\s+(?=[^\s\d])|;\s*")
_ITEM = re.compile(r"^\s*(?:[-+•*]|\d+[.)])\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """One sentence of an answer."""

    text: str
    old: bool = False
    """True under a heading of old values, or where the next sentence says so."""

    @property
    def question(self) -> bool:
        """True for a sentence that asks."""
        return self.text.rstrip(" \"')*").endswith("?")


def sentences(text: str, marks: Marks) -> Iterator[Sentence]:
    """The sentences of an answer, in order."""
    under_old = False
    for line in text.splitlines():
        if not line.strip():
            continue
        if _heads_a_list(line):
            under_old = bool(marks.headings.search(line))
        elif not _ITEM.match(line):
            under_old = False
        said = [part for part in _ENDS.split(line) if part.strip()]
        for place, part in enumerate(said):
            after = said[place + 1] if place + 1 < len(said) else ""
            yield Sentence(text=part, old=under_old or _points_back(after, marks))


def _heads_a_list(line: str) -> bool:
    return line.rstrip(" *_").endswith(":")


def _points_back(sentence: str, marks: Marks) -> bool:
    opening = marks.pointing.match(sentence.lstrip(" \"'("))
    if opening is None:
        return False
    return bool(marks.old_after.search(sentence) or marks.changed_to.search(sentence))
