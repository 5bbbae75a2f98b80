"""The statements of a user's text: sentences, and what a compound sentence joins.

Code blocks, quoted lines and lines of a table are somebody else's words. Invariant: clauses
are spans of the text, in order and apart.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import NamedTuple

import regex

from palimpsest.extract.grammar import Grammar
from palimpsest.language.calendar_words import names_of
from palimpsest.language.phrases import pattern
from palimpsest.language.sentences import sentence_spans
from palimpsest.language.word_list import folded

LONGEST = 400
"""Characters. A longer sentence is no plain statement."""
MOST = 200
"""Sentences of one text that are read; what comes after is a pasted document."""
_FENCE = regex.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", regex.DOTALL)
_PARAGRAPH = regex.compile(r"\n[ \t]*\n")
_WORD = regex.compile(r"\p{L}+")
_ORDINAL = regex.compile(r"(?<!\d)\d{1,2}\.$")
_QUOTATION = regex.compile(
    r"^[ \t]*[\"\u201c\u00ab\u201e][^\"\u201d\u00bb\n]{0,2000}[\"\u201d\u00bb\u201c][ \t]*[.!]?[ \t]*$",
    regex.MULTILINE,
)
"""A line that is a quotation as a whole."""
_QUOTED_LINE = regex.compile(r"^[ \t]*(?:>|\|).*$", regex.MULTILINE)


class Clause(NamedTuple):
    """One statement at ``start`` to ``end`` of its text."""

    start: int
    end: int
    text: str
    sentence: str


def clauses(text: str, grammar: Grammar) -> Iterator[Clause]:
    """The clauses of a text, from left to right."""
    own = _without_quoted(text)
    pasted = 0
    for count, (start, end) in enumerate(_sentences(own, grammar)):
        if count >= MOST:
            return
        if _announces(text[start:end], grammar):
            # What is announced runs to the end of its paragraph.
            paragraph = _PARAGRAPH.search(text, start)
            pasted = paragraph.start() if paragraph else len(text)
        if start >= pasted and end - start <= LONGEST and text[start:end].strip():
            yield from _split(text, start, end, grammar)


def _sentences(text: str, grammar: Grammar) -> Iterator[tuple[int, int]]:
    """The sentences; "am 21. März" is not cut behind its number."""
    held: tuple[int, int] | None = None
    months = names_of(grammar.language)
    for start, end in sentence_spans(text):
        word = _WORD.match(text, start)
        joined = held and _ORDINAL.search(text, max(held[0], held[1] - 4), held[1])
        if held and joined and word and folded(word.group()) in months:
            held = (held[0], end)
            continue
        if held:
            yield held
        held = (start, end)
    if held:
        yield held


def _announces(sentence: str, grammar: Grammar) -> bool:
    """True for "Here is the policy: ...", whose rest is not the user's own words."""
    flat = folded(sentence)
    opened = pattern(grammar.pastes).match(flat) is not None
    return opened and not pattern(grammar.first).search(flat)


def _without_quoted(text: str) -> str:
    """The text with quoted parts blanked, so that places stay what they are."""
    blank = _FENCE.sub(lambda found: "\n" * len(found.group()), text)
    for quoted in (_QUOTED_LINE, _QUOTATION):
        blank = quoted.sub(lambda found: "\n" * len(found.group()), blank)
    return blank


def _split(text: str, start: int, end: int, grammar: Grammar) -> Iterator[Clause]:
    """Cut where another statement of the speaker begins: "... and my PIN is 4417"."""
    sentence, begin = text[start:end], start
    for cut in _joint(grammar).finditer(text, start, end):
        # "Actually, my name is ...": what announces a correction is part of it.
        if pattern(grammar.corrections).fullmatch(folded(text[begin : cut.start()])):
            continue
        yield _clause(text, begin, cut.start(), sentence)
        begin = cut.end()
    yield _clause(text, begin, end, sentence)


def _clause(text: str, start: int, end: int, sentence: str) -> Clause:
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip())
    return Clause(start, start + len(piece.strip()), piece.strip(), sentence)


@functools.cache
def _joint(grammar: Grammar) -> regex.Pattern[str]:
    joins = "|".join(map(regex.escape, grammar.joins))
    first = "|".join(
        regex.escape(folded(word)) for word in sorted(grammar.first, key=len, reverse=True)
    )
    return regex.compile(
        rf"\s*[,;]\s+(?:(?:{joins})\s+)?(?=(?:{first})(?<=')?\b)|\s+(?:{joins})\s+(?=(?:{first})\b)"
        r"|\s*;\s+",
        regex.IGNORECASE,
    )
