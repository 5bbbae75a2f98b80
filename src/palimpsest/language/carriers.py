"""Carriers: the parts of a statement that make it that statement and no other.

Numbers with their units, dates, identifiers and proper names. Two statements that differ
in a carrier are two facts. A negation changes a fact too but cannot be searched for, and
neither can a unit alone, so they are no carriers here.

Invariant: carriers are spans of the text, in order and apart. English word lists.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from palimpsest.language.carrier_words import (
    COMMON,
    CURRENCY_SIGNS,
    DAYS,
    KINDS,
    MONTHS,
    NAME_VERBS,
    RELATIVE_DAYS,
    SHORT_MONTHS,
    UNITS,
)
from palimpsest.language.thing_words import THINGS

CarrierKind = Literal["identifier", "date", "relative-day", "number", "name"]


class Carrier(NamedTuple):
    """One carrier, at ``start`` to ``end`` of the text."""

    start: int
    end: int
    kind: CarrierKind
    opening: bool = False
    """A name that opens its sentence, where every word has a capital letter."""


def _any(words: Sequence[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


_NUMBER = r"\d+(?:[.,\u00a0\u202f ]\d{3})*(?:[.,:]\d+)?"
_RANGE = rf"{_NUMBER}(?:\s*[-–—/]\s*{_NUMBER}|\s+(?:to|and|or|until|through)\s+{_NUMBER})?"
_MONTH = rf"(?:{_any(MONTHS)})\b|(?:{_any(SHORT_MONTHS)})\b\.?"
_ORDINAL = r"\d{1,2}(?:st|nd|rd|th)?"
_DAY_RANGE = rf"{_ORDINAL}(?:\s*(?:[-–—/,]|\b(?:to|and|or|until|through)\b)\s*{_ORDINAL})*"

_IDENTIFIER = re.compile(
    r"""
      \b[a-z][a-z0-9+.-]*://[^\s<>"']+[^\s<>"'.,;:!?)\]]                # a URL
    | (?<![\w.+-])[\w.+-]{0,64}\w@\w[\w-]*(?:\.[\w-]*\w)+             # an e-mail address
    | (?<![\w/])(?:~|\.{1,2})?/[\w.@-]*\w(?:/[\w.@-]*\w)*/?             # a path from the root
    | \b[A-Za-z]:\\[\w\\.-]*\w                                          # a Windows path
    | \b\w[\w.-]*/(?:[\w.-]*\w/)*[\w-]+\.[A-Za-z]\w*                    # a path to a file
    | (?<![\w.+-])\+?\d[\d]{1,3}(?:[ .-]\(?\d{2,4}\)?){2,}\b            # a telephone number
    | (?<![\w.+])(?:\+\d{1,3}[ ]?)?\(\d{2,4}\)[ ]?\d{2,4}(?:[ .-]\d{2,4})+\b   # its area in brackets
    | \bv?\d+(?:\.\d+){2,}(?:[-+][\w.]+)?\b | \bv\d+(?:\.\d+)*\b        # a version
    | \b[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+\b                                # snake_case
    | \b(?=[\w-]*[A-Za-z])(?=[\w-]*\d)[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*\b  # letters and digits
    | \b[A-Za-z]+[a-z][A-Z][A-Za-z]*\b                                  # MySQL, camelCase
    | \b[a-z]+[A-Z]\w*\b
    | \b[a-z][\w-]*(?:\.[a-z][\w-]*)*\.(?:com|org|net|io|dev|de|fr|eu|uk|pt|es|ai|app)\b
    """,
    re.VERBOSE,
)
_DATE = re.compile(
    rf"""
      \b\d{{4}}-\d{{2}}(?:-\d{{2}})?\b | \b\d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}}\b
    | \b{_DAY_RANGE}(?:\s+of)?\s+(?:{_MONTH})(?:,?\s+\d{{4}}\b)?
    | \b(?:{_MONTH})\s+{_DAY_RANGE}\b(?:,?\s+\d{{4}}\b)?
    | \b(?:{_any([m for m in MONTHS if m not in ("March", "May")])})\b(?:\s+\d{{4}}\b)?
    | \b(?:March|May)\s+\d{{4}}\b | (?<=\bin\ )(?:March|May)\b
    | \b(?:{_any(DAYS)})\b
    | \b(?i:{_any(RELATIVE_DAYS)})\b
    """.replace("day after tomorrow", r"day\ after\ tomorrow"),
    re.VERBOSE,
)
_QUANTITY = re.compile(
    rf"(?P<sign>[{re.escape(CURRENCY_SIGNS)}]\s?)?(?<![\w.,])(?P<number>{_RANGE})"
    rf"(?P<unit>\s?[{re.escape(CURRENCY_SIGNS)}%°]|[ \u00a0-]?(?:{_any(UNITS)})(?![\w]))?(?!\w)"
)
_WORD = re.compile(r"(?<![\d_])[^\W\d_][^\W\d_'’]*(?:[-&][^\W\d_]+)*(?![\d_])")
_COPULA = re.compile(
    r"(?:['’]s)?(?:\s*[:=]|\s+(?:is|was|are|were|will|has|becomes|became|remains)\b)"
)
_SENTENCE_START = re.compile(r"(?:^|[.!?…]|[\r\n])[\s\"'“”‘’(*>-]*$")


def carriers(text: str) -> tuple[Carrier, ...]:
    """The carriers of a statement, from left to right."""
    found: list[Carrier] = []
    for carrier in (*_dates(text), *_identifiers(text), *_quantities(text), *_names(text)):
        _add(found, carrier)
    return tuple(sorted(found))


def _add(found: list[Carrier], new: Carrier) -> None:
    if all(new.end <= old.start or old.end <= new.start for old in found):
        found.append(new)


def _dates(text: str) -> Iterator[Carrier]:
    relative = {day.lower() for day in RELATIVE_DAYS}
    for match in _DATE.finditer(text):
        kind: CarrierKind = "relative-day" if match.group().lower() in relative else "date"
        yield Carrier(match.start(), match.end(), kind)


def _identifiers(text: str) -> Iterator[Carrier]:
    for match in _IDENTIFIER.finditer(text):
        if match.group().lower() not in KINDS:
            yield Carrier(match.start(), match.end(), "identifier")


def _quantities(text: str) -> Iterator[Carrier]:
    for match in _QUANTITY.finditer(text):
        start, end = match.span()
        if match["sign"] or match["unit"] or _speaks_alone(match["number"]):
            yield Carrier(start, end, "number")
        else:
            yield from _with_its_noun(text, start, end)


def _speaks_alone(number: str) -> bool:
    """Small bare numbers stand everywhere; long and broken ones are somebody's."""
    return len(number) >= 4


def _with_its_noun(text: str, start: int, end: int) -> Iterator[Carrier]:
    """``3 cats``, ``room 12``: a small number means something only with its noun."""
    after = re.match(r"\s+([^\W\d_]{3,})", text[end:])
    if after and after[1].lower() not in COMMON:
        yield Carrier(start, end + after.end(), "number")
        return
    before = re.search(r"([^\W\d_]{3,})\s+$", text[:start])
    if before and before[1].lower() not in COMMON:
        yield Carrier(before.start(), end, "number")


def _names(text: str) -> Iterator[Carrier]:
    """Runs of capitalised words that are names where they stand."""
    run: list[re.Match[str]] = []
    for word in _WORD.finditer(text):
        gap = text[run[-1].end() : word.start()] if run else ""
        if run and (gap != " " or not _capital(word)):
            yield from _name(text, run)
            run = []
        if _capital(word):
            run.append(word)
    yield from _name(text, run)


def _name(text: str, run: Sequence[re.Match[str]]) -> Iterator[Carrier]:
    words = list(run)
    while words and _plain(text, words):
        words = words[1:]
    if words and not (_is_subject(text, words) and all(map(_thing, words))):
        start, end = words[0].start(), words[-1].end()
        yield Carrier(start, end, "name", _opens(text, start))


def _thing(word: re.Match[str]) -> bool:
    """``Password``, ``Wi-Fi``: what a fact is about."""
    bare = word.group().lower().replace("-", "").removesuffix("'s").removesuffix("’s")
    return bare in THINGS or bare in KINDS or bare.removesuffix("s") in THINGS


def _is_subject(text: str, words: Sequence[re.Match[str]]) -> bool:
    """True where a sentence begins with the words, or says something of them."""
    return _opens(text, words[0].start()) or states(text, words[-1].end())


def states(text: str, at: int) -> bool:
    """True where what stands before ``at`` is what the sentence is about: "... is", "...:"."""
    return bool(_COPULA.match(text, at))


def _opens(text: str, at: int) -> bool:
    return bool(_SENTENCE_START.search(text[:at]))


def _capital(word: re.Match[str]) -> bool:
    return word.group()[0].isupper()


def _plain(text: str, run: Sequence[re.Match[str]]) -> bool:
    """True where a capital letter does not make the first word of a run a name."""
    word, opens = run[0].group(), _opens(text, run[0].start())
    if word.lower().replace("-", "") in KINDS:
        return True
    if word.lower() in COMMON:
        return opens or len(run) == 1
    if not opens or (word.isupper() and len(word) > 1):
        return False
    rest = text[run[-1].end() :]
    after = re.match(r"\s+([\w'’]+)", rest)
    verb = after[1].lower().replace("’", "'") if after else ""
    return verb not in NAME_VERBS and not re.match(r"['’]s\b", rest)
