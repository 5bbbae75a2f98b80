"""The statements of a user's text: sentences, and what a compound sentence joins.

Code blocks, quoted lines and lines of a table are somebody else's words. Invariant: clauses
are spans of the text, in order and apart.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple

import regex

from palimpsest.extract.content import bare_remark, explains, list_lines
from palimpsest.extract.grammar import Grammar
from palimpsest.extract.joints import joints
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
_SHORTENED = regex.compile(r"(?<![\p{L}\p{N}])(\p{L}(?:[\p{L}.]*\p{L})?)\.$")
"""What stands before a point at the end of a piece."""
_LONGEST_SHORT = 12
"""Characters of an abbreviation and what stands before it."""
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
    spans = list(itertools.islice(_sentences(own, grammar), MOST + 1))
    listed = list_lines([own[start:end] for start, end in spans], grammar)
    for count, (start, end) in enumerate(spans):
        if count >= MOST:
            return
        if _announces(text[start:end], grammar):
            # What is announced runs to the end of its paragraph.
            paragraph = _PARAGRAPH.search(text, start)
            pasted = paragraph.start() if paragraph else len(text)
        if own[start:end] in listed:
            continue
        if start >= pasted and end - start <= LONGEST and text[start:end].strip():
            yield from _split(text, start, end, grammar)


def _sentences(text: str, grammar: Grammar) -> Iterator[tuple[int, int]]:
    """The sentences; "am 21. März", "Dr. Hale" and "ext. 54-22" are not cut at their points."""
    held: tuple[int, int] | None = None
    for start, end in sentence_spans(text):
        if held and "\n" not in text[held[1] : start] and _goes_on(text, held, start, grammar):
            held = (held[0], end)
            continue
        if held:
            yield held
        held = (start, end)
    if held:
        yield held


def _goes_on(text: str, held: tuple[int, int], start: int, grammar: Grammar) -> bool:
    """True where the point that ends a piece ends no sentence."""
    begin, end = held
    if _ORDINAL.search(text, max(begin, end - 4), end):
        word = _WORD.match(text, start)
        return word is not None and folded(word.group()) in names_of(grammar.language)
    short = _SHORTENED.search(text, max(begin, end - _LONGEST_SHORT), end)
    if short is None or start >= len(text):
        return False
    if len(short[1]) == 1 and short[1].isupper() and text[start].isupper():
        return True
    said = folded(short[1])
    # "No. 12" is a number, and "No. I live ..." is not.
    return said in grammar.abbreviations and (said != "no" or text[start].isdigit())


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
    for first, last in joints(sentence, grammar):
        cut = (start + first, start + last)
        # "Actually, my name is ...": what announces a correction is part of it.
        opened = pattern((*grammar.corrections, *grammar.waits)).match(
            folded(text[begin:end]).lstrip()
        )
        if opened and opened.end() >= len(text[begin : cut[0]].strip()):
            continue
        # "I think, ..." and "..., I was wrong" weigh what stands beside them.
        behind = text[cut[1] : end]
        if bare_remark(text[begin : cut[0]], grammar) or bare_remark(behind, grammar):
            continue
        if text[cut[0] : cut[1]].strip() == "," and explains(text[begin : cut[0]], behind, grammar):
            continue
        yield _clause(text, begin, cut[0], sentence)
        begin = cut[1]
    yield _clause(text, begin, end, sentence)


def _clause(text: str, start: int, end: int, sentence: str) -> Clause:
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip())
    return Clause(start, start + len(piece.strip()), piece.strip(), sentence)
