"""A statement read for comparison, and what tells two of them apart beyond their carriers.

Four differences leave two texts two facts: a content word exchanged for another; a word that
says which kind ("milk", "almond milk"); content words that change places rather than move as
one block ("Ana owes Leo"); a person, tense, direction or condition of one side only.
Invariant: symmetric, and a pure function.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import regex
from rapidfuzz.distance import OSA

from palimpsest.language import small_turns, stems
from palimpsest.language.contractions import written_out
from palimpsest.language.fact_tokens import carrier_tokens
from palimpsest.language.guess import languages_of
from palimpsest.language.stop_words import stop_words
from palimpsest.language.word_list import folded, word_list

_PAUSE = regex.compile(r"[,;:.!?()\u2026](?=\s|$)|\s[-\u2013\u2014]\s|[\u3002\uff0c\uff01\uff1f]")
_SHORTEST = 5
"""Letters from which on a word can be another one mistyped ("adress", "address"): one edit."""
_LONG = 9
"""The same for two edits; two letters that change places are one."""
_NAME = "name "


class Word(NamedTuple):
    """One word in its place; ``stem`` is ``None`` for a word without content."""

    text: str
    stem: str | None
    paused: bool
    """A pause stands before it."""


class Statement(NamedTuple):
    """A text with all that comparing it needs."""

    flat: str
    """Its words in their order, one blank between them."""
    words: tuple[Word, ...]
    order: tuple[str, ...]
    """The content words in their order."""
    content: frozenset[str]
    carriers: frozenset[str]
    """Names aside."""
    names: frozenset[str]
    spelt: frozenset[str]


def read(text: str) -> Statement:
    """Read a text once, to compare it often."""
    flat = small_turns.without_opener(written_out(folded(text)))
    words = _words(flat, languages_of(text))
    order = tuple(word.stem for word in words if word.stem is not None)
    carriers = carrier_tokens(text)
    named = {name for token in carriers if token.startswith(_NAME) for name in word_list(token[5:])}
    return Statement(
        " ".join(word.text for word in words) or flat, words, order, frozenset(order),
        frozenset(token for token in carriers if not token.startswith(_NAME)),
        frozenset(named), frozenset(word.text for word in words),
    )  # fmt: skip


def _words(flat: str, languages: Sequence[str]) -> tuple[Word, ...]:
    dropped = stop_words(languages[0]) if languages else frozenset()
    silent = dropped | small_turns.PLACING
    stem = stems.stems(languages[0]).of if languages else str
    found: list[Word] = []
    for piece in _PAUSE.split(flat):
        paused = bool(found)
        for text in word_list(piece):
            if text in small_turns.FILLERS:
                continue
            found.append(Word(text, None if text in silent else stem(text), paused))
            paused = False
    return tuple(found)


def apart(a: Statement, b: Statement) -> bool:
    """True where something that may be the fact itself tells the two apart."""
    return (
        a.carriers != b.carriers
        or not (a.names <= b.spelt and b.names <= a.spelt)
        or _turned(a, b)
        or _exchanged(a.content - b.content, b.content - a.content)
        or _kind_of(a, b)
        or _kind_of(b, a)
        or _places_changed(a, b)
    )


def _turned(a: Statement, b: Statement) -> bool:
    if (a.spelt ^ b.spelt) & small_turns.BINDING:
        return True
    for table in small_turns.SIDES:
        mine = {table[word] for word in a.spelt if word in table}
        yours = {table[word] for word in b.spelt if word in table}
        if mine - yours and yours - mine:
            return True
    return _over(a, b) or _over(b, a)


def _over(a: Statement, b: Statement) -> bool:
    """True where one text says a verb in the past that the other says in the present."""
    present = {word.stem: word.text for word in b.words if word.stem is not None}
    return any(
        word.text.endswith("ed") and word.text not in b.spelt
        and not present.get(word.stem or "", "ed").endswith("ed")
        for word in a.words
    )  # fmt: skip


def _exchanged(mine: frozenset[str], yours: frozenset[str]) -> bool:
    """True where each side says something that the other does not, mistypings apart."""
    if not mine or not yours:
        return False
    unlike = [w for w in mine if not any(_spelt_alike(w, other) for other in yours)]
    return bool(unlike) and any(not any(_spelt_alike(w, other) for other in mine) for w in yours)


def _spelt_alike(a: str, b: str) -> bool:
    """True where one word is the other one mistyped, by letters inside it.

    A change of the first letter, or at the end alone, is another word or another form of one.
    """
    if min(len(a), len(b)) < _SHORTEST or a[0] != b[0] or a[:-1] == b[:-1]:
        return False
    if a.startswith(b) or b.startswith(a):
        return False
    most = 2 if min(len(a), len(b)) >= _LONG else 1
    return OSA.distance(a, b, score_cutoff=most) <= most


def _kind_of(rich: Statement, poor: Statement) -> bool:
    """True where a word of ``rich`` alone stands at a shared one and says which kind it is."""
    words = rich.words
    for place, word in enumerate(words):
        if word.stem is None or word.stem in poor.content:
            continue
        before = words[place - 1] if place else None
        if before is not None and not word.paused:
            if before.stem in poor.content:
                return True
            two = words[place - 2] if place > 1 else None
            if before.text in small_turns.KINDS and two and two.stem in poor.content:
                return True
        after = words[place + 1] if place + 1 < len(words) else None
        if after is not None and not after.paused and after.stem in poor.content:
            return True
    return False


def _places_changed(a: Statement, b: Statement) -> bool:
    """True unless the shared content words are in one order, or one block of them has moved."""
    mine = [stem for stem in a.order if stem in b.content]
    yours = [stem for stem in b.order if stem in a.content]
    if mine == yours or len(mine) != len(yours):
        return False
    if (a.spelt | b.spelt) & small_turns.COMPARING:
        return True
    start = next(i for i, pair in enumerate(zip(mine, yours, strict=True)) if pair[0] != pair[1])
    while mine[-1] == yours[-1]:
        mine, yours = mine[:-1], yours[:-1]
    mine, yours = mine[start:], yours[start:]
    return not any(mine[cut:] + mine[:cut] == yours for cut in range(1, len(mine)))
