"""The carrier tokens of a text: what often is the fact itself, so that two facts stay two.

Numbers, days, months, relative days, units, negations, likings, identifiers and names. A
number is what stands between blanks, so "14h30" and "14 h 30" differ; within a kind the order
counts ("from 3 to 5"); a negation holds the words that it turns round.
Invariant: a pure function; two texts whose tokens differ are never one memory.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence

import regex

from palimpsest.language import lexicon
from palimpsest.language.calendar_words import all_names, short_names_of
from palimpsest.language.content_words import content_list
from palimpsest.language.contractions import written_out
from palimpsest.language.guess import languages_of
from palimpsest.language.lexicon import Lexicon
from palimpsest.language.one_spelling import NAME
from palimpsest.language.phrases import pattern, phrases_in
from palimpsest.language.word_list import folded, word_list

_NUMBER = regex.compile(
    r"[\p{L}\p{N}_@#/.:+-]*\p{N}[\p{L}\p{N}_@/.:,+%-]*(?<![.,:])|(?<=\p{N}\s?)[%\u2030\u00b0]"
)
_SIGNS = regex.compile(r"\p{Sc}|\p{Sm}|#|(?<![\p{L}\p{N}])[-\u2212](?=\p{N})")
_LETTER = regex.compile(r"(?<=[^.!?\s]\s)\b(?!I\b)\p{Lu}\b(?!['\u2019])")
"""A letter that stands alone: a grade, a group, a vitamin."""
_IDENTIFIER = regex.compile(r"[\w.+-]+@[\w.-]+\w|\w+://\S*\w|\w+(?:_\w+)+|\b\w+\.\w{2,}\b")
_CLAUSE_END = regex.compile(r"[.;:!?,\n]")
_AT_ONCE = 3
"""The words after a negation that it is taken to turn round."""


def carrier_tokens(text: str) -> frozenset[str]:
    """The carrier tokens of a text; equal sets are needed for two texts to be one memory."""
    flat = written_out(folded(text))
    codes = languages_of(text)
    found = {f"number {' '.join(_numbers(flat))}", f"sign {' '.join(_SIGNS.findall(flat))}"}
    found.add(f"letter {' '.join(_LETTER.findall(text))}")
    found.add(f"name {' '.join(_names(text))}")
    found.update(f"id {match.group()}" for match in _IDENTIFIER.finditer(flat))
    found.update(_day_tokens(flat, codes))
    for code in codes:
        held = lexicon.load(code)
        found.update(_unit_tokens(flat, held))
        found.update(_negation_tokens(flat, held))
        found.update(_liking_tokens(flat, held))
    return frozenset(token for token in found if token.split(" ", 1)[1].strip())


def _numbers(flat: str) -> Iterator[str]:
    """Each number as it stands between blanks, and numbers in letters, in order."""
    for match in _NUMBER.finditer(flat):
        yield match.group().strip("-/.#:+")


def _names(text: str) -> Iterator[str]:
    """Words with a capital letter inside a sentence, and words in capitals, in order."""
    for match in NAME.finditer(text):
        if folded(match.group()) not in _I:
            yield folded(match.group()).removesuffix("'s")


_I = frozenset({"i", "i'm", "i've", "i'd", "i'll"})


def _day_tokens(flat: str, codes: Sequence[str]) -> Iterator[str]:
    words = word_list(flat)
    short = frozenset().union(*map(short_names_of, codes)) if codes else frozenset()
    for place, word in enumerate(words):
        if word in all_names() or (
            word in short and any(map(_is_number, words[max(0, place - 1) : place + 2]))
        ):
            yield f"day {word}"
    for code in codes:
        for start, end in phrases_in(flat, lexicon.load(code).relative_days):
            yield f"relative {flat[start:end]}"


def _unit_tokens(flat: str, held: Lexicon) -> Iterator[str]:
    counted = " ".join(flat[start:end] for start, end in phrases_in(flat, held.numbers))
    yield f"counted {counted}"
    for start, end in phrases_in(flat, held.units):
        if end - start > 2 or regex.search(r"\p{N}\s*$", flat[:start]):
            yield f"unit {flat[start:end]}"


def _negation_tokens(flat: str, held: Lexicon) -> Iterator[str]:
    """Each negation with the content words that follow it; "ne ... pas" is one."""
    silent = _silent(held)
    for _start, end in phrases_in(flat, held.negations):
        rest = _CLAUSE_END.split(pattern(held.negations).sub(" ", flat[end:]), maxsplit=1)[0]
        turned = [word for word in content_list(rest) if word not in silent][:_AT_ONCE]
        yield f"not {' '.join(turned) or '.'}"


@functools.cache
def _silent(held: Lexicon) -> frozenset[str]:
    return frozenset(word for phrase in held.negations for word in word_list(phrase))


def _liking_tokens(flat: str, held: Lexicon) -> Iterator[str]:
    for sign, phrases in (("+", held.likes), ("-", held.dislikes)):
        if phrases_in(flat, phrases):
            yield f"liking {sign}"


def _is_number(word: str) -> bool:
    return any(character.isnumeric() for character in word)
