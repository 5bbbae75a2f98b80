"""What a sentence is about, and the values that it states.

A value is an identifier, a quantity, a date or a name; the topic is the stems of the words
that are left when function words and the words of choosing and replacing are taken away.
Invariant: values are spans of the sentence, in order and apart.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from palimpsest.language.carriers import carriers
from palimpsest.language.packs import Pack
from palimpsest.language.stems import stems
from palimpsest.language.words_of import any_of

ValueKind = Literal["identifier", "number", "date", "name"]

_NUMBER = re.compile(r"(?<![\w.,])\d[\d.,:]*(?<![.,:])(?!\w)")
_CODE = re.compile(r"`[^`]+`")
# ledger-export at the end of a clause; before a noun it would be an adjective (row-level).
_KEBAB = re.compile(r"(?<=\s)[a-z][a-z0-9]{2,}(?:-[a-z0-9]{3,})+(?=[.,;:!?)]|\s*$)")
_LETTERS = re.compile(r"[^\W\d_]+")


Span = tuple[int, int]


class Value(NamedTuple):
    """One value, at ``start`` to ``end`` of its sentence."""

    start: int
    end: int
    kind: ValueKind

    @property
    def span(self) -> Span:
        return self.start, self.end


def values(sentence: str, pack: Pack) -> tuple[Value, ...]:
    """The values of a sentence."""
    return _apart(_known(sentence, pack))


def numbers(sentence: str, stated: Sequence[Value]) -> tuple[Value, ...]:
    """The numbers that stand alone, beside the values that are known."""
    found = _apart((*stated, *_bare(sentence)))
    return tuple(value for value in found if value not in stated)


def _apart(candidates: Iterable[Value]) -> tuple[Value, ...]:
    """Those that touch none before them, in the order of the sentence."""
    found: list[Value] = []
    for value in candidates:
        if all(value.end <= old.start or old.end <= value.start for old in found):
            found.append(value)
    return tuple(sorted(found))


def _known(sentence: str, pack: Pack) -> Iterator[Value]:
    for pattern in (_CODE, _KEBAB):
        for match in pattern.finditer(sentence):
            yield Value(match.start(), match.end(), "identifier")
    for match in _own(pack).finditer(sentence):
        yield Value(match.start(), match.end(), "date" if match["date"] else "number")
    for carrier in carriers(sentence):
        if carrier.kind != "relative-day":
            yield Value(carrier.start, carrier.end, carrier.kind)


def _bare(sentence: str) -> Iterator[Value]:
    for match in _NUMBER.finditer(sentence):
        yield Value(match.start(), match.end(), "number")


@functools.cache
def _own(pack: Pack) -> re.Pattern[str]:
    """The dates and quantities that the pack names."""
    dates = any_of(pack.dates).pattern
    units = "|".join(sorted(map(re.escape, pack.units), key=len, reverse=True)) or "(?!)"
    quantity = rf"(?<![\w.,])\d[\d.,]*[ \u00a0\u202f]?(?:{units})(?!\w)(?:[ \u00a0]?\d\d(?!\w))?"
    # A month alone is a date; with its day it is one date and not two.
    day = rf"(?P<date>(?:\d{{1,2}}(?:er)?\s+)?(?:{dates}))"
    return re.compile(f"{day}|{quantity}", re.IGNORECASE)


def unit(value: str) -> str:
    """The letters of a quantity, by which two quantities can be compared at all."""
    return "".join(_LETTERS.findall(value)).lower().removesuffix("s")


@functools.lru_cache(maxsize=65_536)
def place(value: str, sentence: str) -> tuple[int, int] | None:
    """Where a value stands in a sentence as a whole word, in any case."""
    found = _whole(value).search(sentence)
    return found.span() if found else None


@functools.lru_cache(maxsize=4096)
def _whole(value: str) -> re.Pattern[str]:
    text = re.escape(value.strip("`"))
    return re.compile(rf"(?<![\w.,-]){text}(?![\w-]|[.,:]\d)", re.IGNORECASE)


class Word(NamedTuple):
    """One word that says what a sentence is about, by its stem."""

    start: int
    end: int
    stem: str


def topic_words(text: str, pack: Pack) -> tuple[Word, ...]:
    """The words that say what a text is about, values included."""
    silent, stem = _silent(pack), stems(pack.language).of
    found = []
    for match in _LETTERS.finditer(text):
        lowered = match.group().lower()
        if lowered not in silent and (stemmed := stem(lowered)) not in silent:
            found.append(Word(match.start(), match.end(), stemmed))
    return tuple(found)


def topic(words: Sequence[Word], without: Sequence[Span] = ()) -> frozenset[str]:
    """The stems of the words outside the spans ``without``."""
    return frozenset(
        word.stem
        for word in words
        if all(word.end <= start or end <= word.start for start, end in without)
    )


@functools.cache
def _silent(pack: Pack) -> frozenset[str]:
    """Words that say nothing about a topic, as they are and as stems."""
    lists = (
        pack.stop_words, pack.generic, pack.choices, pack.pronouns, pack.markers, pack.hedges,
        pack.clause_ends, pack.joins, pack.negations, pack.requests,
    )  # fmt: skip
    listed = [word for words in lists for text in words for word in _LETTERS.findall(text)]
    listed += [
        word
        for phrase in pack.phrases
        for word in _LETTERS.findall(re.sub(r"\{\w+\}", " ", phrase))
    ]
    lowered = {word.lower() for word in listed}
    return frozenset(lowered | set(map(stems(pack.language).of, lowered)))


def commonness(text: str, pack: Pack) -> int:
    """How many words of a text the pack lists: the measure by which its language is told."""
    silent = _silent(pack)
    return sum(match.group().lower() in silent for match in _LETTERS.finditer(text))
