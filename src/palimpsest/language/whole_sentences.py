"""Takes whole sentences out of a text, never words out of one.

What is left of a sentence that lost its value tells nothing, or something else ("They moved
to ."). Invariant: what is kept are sentences of the text, word for word and in their order; a
full stop that may be no end (an abbreviation, "20. Mai", inside quotes) counts as none, so in
doubt more goes.
"""

from __future__ import annotations

from collections.abc import Iterable

import regex

from palimpsest.language.occurrences import Span
from palimpsest.language.sentences import sentence_spans

_SHORT_WORDS = """
approx art bzw ca dott dr etc fig hr ing jr mr mrs ms no nr núm num p pp prof resp sig sr sra st
tel u usw vgl vs z
"""
_SHORT = frozenset(_SHORT_WORDS.split())
"""Words that end in a full stop amid a sentence."""
_LAST = regex.compile(r"([\p{L}\p{N}.]+)\.$")
_BEGINS = regex.compile(r"[\p{Lu}\p{Lt}\p{Lo}\p{P}\p{S}]")
_PAIRS = (("(", ")"), ("[", "]"), ("«", "»"))


def without_sentences(text: str, touched: Iterable[Span]) -> tuple[str, tuple[str, ...]]:
    """The text without the sentences that a span touches, and those sentences."""
    spans = list(touched)
    if not spans:
        return text, ()
    kept: list[str] = []
    gone: list[str] = []
    after = 0
    for start, end in whole_sentences(text):
        if any(start < span.end and span.start < end for span in spans):
            gone.append(text[start:end])
        else:
            # The blanks before a sentence part it from what is kept before it.
            kept.append((text[after:start] if kept else "") + text[start:end])
        after = end
    return "".join(kept), tuple(gone)


def whole_sentences(text: str) -> list[tuple[int, int]]:
    """The spans of the sentences; two that may be one are one."""
    found: list[tuple[int, int]] = []
    for start, end in sentence_spans(text):
        if found and not _parted(text, found[-1], start):
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found


def _parted(text: str, before: tuple[int, int], start: int) -> bool:
    """True where a sentence surely ended before the one that begins at ``start``."""
    first, last = before
    said = text[first:last]
    if "\n" in text[last:start] or "\r" in text[last:start]:
        return True
    if _open(said) or not _BEGINS.match(text, start):
        return False
    word = _LAST.search(said)
    return word is None or word[1].endswith(".") or not _is_short(word[1])


def _is_short(word: str) -> bool:
    return (
        word.casefold() in _SHORT
        or "." in word
        or (len(word) == 1 and word.isalpha())
        or (word.isdecimal() and len(word) <= 2)
    )


def _open(said: str) -> bool:
    """True where a quotation or a bracket is not closed yet."""
    if said.count('"') % 2 or (said.count("„") + said.count("“") + said.count("”")) % 2:
        return True
    return any(said.count(left) > said.count(right) for left, right in _PAIRS)
