"""A statement read for comparison, and what tells two of them apart beyond their carriers.

Four differences leave two texts two facts: a content word exchanged for another; a word that
says which kind ("milk", "almond milk"); content words that change places rather than move as
one block ("Ana owes Leo"); a person, tense, direction or condition of one side only.
Invariant: symmetric, and a pure function.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import NamedTuple

import regex

from palimpsest.language import one_spelling, small_turns, stems, word_forms
from palimpsest.language.contractions import written_out
from palimpsest.language.fact_tokens import carrier_tokens
from palimpsest.language.guess import languages_of
from palimpsest.language.mistyped import mistyped
from palimpsest.language.stop_words import stop_words
from palimpsest.language.word_list import folded, word_list

_PAUSE = regex.compile(r"[,;:.!?()\u2026](?=\s|$)|\s[-\u2013\u2014]\s|[\u3002\uff0c\uff01\uff1f]")
_NAME = "name "
_FEWEST = 2
"""Content words from which on one of them may be mistyped."""


class Word(NamedTuple):
    """One word in its place; ``stem`` is ``None`` for a word without content."""

    text: str
    stem: str | None
    paused: bool
    """A pause stands before it."""
    form: str = ""
    """The tense that its ending says."""


_PICTURE = regex.compile(r"\p{RI}{2}|[\p{So}\p{Extended_Pictographic}--[©®™℠°]]", regex.V1)
"""A flag, or one symbol; its colour and its style are none of it."""


_STYLE = regex.compile("[\ufe0e\ufe0f]")
"""Whether a symbol is drawn plain or in colour."""


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
    places: Mapping[str, frozenset[str]]
    """The relations that stand before its content words."""
    owners: Mapping[str, frozenset[str]]
    """Whose its content words are."""
    language: str
    """The likeliest, "" where none is."""
    pictures: frozenset[str]
    """Its emoji and other symbols: "I like" with another one is another fact."""


def read(text: str) -> Statement:
    """Read a text once, to compare it often."""
    text = small_turns.without_opener(" ".join(_STYLE.sub("", text).split()))
    text = one_spelling.rewritten(text, languages_of(text))
    flat = written_out(folded(text))
    code = next(iter(languages_of(text)), "")
    words = _words(flat, code)
    order = tuple(word.stem for word in words if word.stem is not None)
    carriers = carrier_tokens(text)
    named = {name for token in carriers if token.startswith(_NAME) for name in word_list(token[5:])}
    return Statement(
        " ".join(word.text for word in words) or flat, words, order, frozenset(order),
        frozenset(token for token in carriers if not token.startswith(_NAME)),
        frozenset(named), frozenset(word.text for word in words),
        _before(words, word_forms.PLACES), _before(words, word_forms.OWNERS), code,
        frozenset(_PICTURE.findall(text)),
    )  # fmt: skip


def _words(flat: str, code: str) -> tuple[Word, ...]:
    silent = _silent(code)
    stem = stems.stems(code).of if code else str
    found: list[Word] = []
    for piece in _PAUSE.split(flat):
        paused = bool(found)
        for said in word_list(piece):
            if said in small_turns.FILLERS:
                continue
            text = one_spelling.spelt(said, code) or said
            told = None if said in silent or text in silent else _stem(said, text, code, stem)
            if told is not None and code == "fr" and found and found[-1].text == "nous":
                told = word_forms.of_nous(said, told, stem)
            found.append(Word(text, told, paused, word_forms.form(text, code)))
            paused = False
    return tuple(found)


@functools.cache
def _silent(code: str) -> frozenset[str]:
    """The words without content of a language."""
    listed = stop_words(code) if code else frozenset()
    return (listed | small_turns.PLACING) - small_turns.TELLING


def _stem(said: str, text: str, code: str, stem: Callable[[str], str]) -> str:
    """A stem; a French one is taken with the accents that its rules look at."""
    if code != "fr":
        return stem(text)
    if said in one_spelling.TELLING:
        return stem(said)
    found = one_spelling.plain(stem(said.replace("œ", "oe")))
    return found.removesuffix("r") if found.endswith("ndr") else found


def _before(
    words: Sequence[Word], table: Mapping[str, frozenset[str]]
) -> Mapping[str, frozenset[str]]:
    """The classes of the small words that stand before each content word."""
    found: dict[str, frozenset[str]] = {}
    before: frozenset[str] = frozenset()
    for word in words:
        classes = table.get(word.text)
        if classes is not None:
            before |= classes
        elif word.stem is not None:
            found[word.stem] = found.get(word.stem, frozenset()) | before
            before = frozenset()
    return {stem: classes for stem, classes in found.items() if classes}


def respelt(a: Statement, b: Statement) -> Statement:
    """``b``, with its one word that ``a`` spells otherwise spelt as there."""
    mine, yours = a.content - b.content, b.content - a.content
    if len(mine) != 1 or len(yours) != 1 or len(a.content) < _FEWEST:
        return b
    (lost,), (found,) = ([w for w in s.words if w.stem in one][:1]
                         for s, one in ((a, mine), (b, yours)))  # fmt: skip
    named = a.names | b.names
    if lost.text in named or found.text in named or not mistyped(lost.text, found.text):
        return b
    words = tuple(
        word._replace(text=lost.text, stem=lost.stem, form=lost.form)
        if word.stem == found.stem else word for word in b.words
    )  # fmt: skip
    order = tuple(word.stem for word in words if word.stem is not None)
    return b._replace(words=words, order=order, content=frozenset(order),
                      spelt=frozenset(word.text for word in words),
                      places=_before(words, word_forms.PLACES),
                      owners=_before(words, word_forms.OWNERS))  # fmt: skip


def apart(a: Statement, b: Statement) -> bool:
    """True where something that may be the fact itself tells the two apart."""
    return (
        a.carriers != b.carriers
        or bool(a.pictures and b.pictures and a.pictures != b.pictures)
        or not (a.names <= b.spelt and b.names <= a.spelt)
        or _turned(a, b)
        or _placed_apart(a, b)
        or bool(a.content - b.content and b.content - a.content)
        or _of_another(a, b)
        or _of_another(b, a)
        or _kind_of(a, b)
        or _kind_of(b, a)
        or _places_changed(a, b)
    )


def _turned(a: Statement, b: Statement) -> bool:
    if (a.spelt ^ b.spelt) & small_turns.BINDING:
        return True
    if _classes(a, small_turns.OBJECTS) != _classes(b, small_turns.OBJECTS):
        return True
    alone = (a.spelt ^ b.spelt) & small_turns.COMPANY
    if a.content == b.content and (alone or _past(a) != _past(b)):
        return True
    for table in small_turns.SIDES:
        mine, yours = _classes(a, table), _classes(b, table)
        if mine - yours and yours - mine:
            return True
    return _formed_apart(a, b)


def _past(read: Statement) -> frozenset[str]:
    return _classes(read, small_turns.TENSES) & small_turns.PAST


def _classes(read: Statement, table: Mapping[str, str]) -> frozenset[str]:
    return frozenset(table[word] for word in read.spelt if word in table)


def _formed_apart(a: Statement, b: Statement) -> bool:
    """True where a shared stem stands for two words, or for two tenses of one."""
    been = "been" in a.spelt or "been" in b.spelt
    mine, yours = _forms(a), _forms(b)
    for stem in mine.keys() & yours.keys():
        if mine[stem].keys() & yours[stem].keys():
            continue
        if not been and not set(mine[stem].values()) & set(yours[stem].values()):
            return True
        pairs = product(mine[stem], yours[stem], (a.language, b.language))
        if not any(word_forms.one_word(one, other, code) for one, other, code in pairs):
            return True
    return False


def _forms(read: Statement) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for word in read.words:
        if word.stem is not None:
            found.setdefault(word.stem, {})[word.text] = word.form
    return found


def _placed_apart(a: Statement, b: Statement) -> bool:
    """True where what stands before a shared word relates it otherwise: "from", "my"."""
    return any(
        not (mine[stem] & yours[stem])
        for mine, yours in ((a.places, b.places), (a.owners, b.owners))
        for stem in mine.keys() & yours.keys()
    )


def _of_another(rich: Statement, poor: Statement) -> bool:
    """True where ``rich`` begins with somebody or something that ``poor`` does not speak of."""
    begun = False
    for word in rich.words:
        if begun and word.paused:
            return False
        if word.stem is not None:
            if word.stem in poor.content:
                return begun
            begun = True
    return False


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
    """True unless the shared content words are as many and in one order, or one block moved."""
    mine = [stem for stem in a.order if stem in b.content]
    yours = [stem for stem in b.order if stem in a.content]
    if mine == yours:
        return False
    if len(mine) != len(yours):
        return True
    if (a.spelt | b.spelt) & small_turns.COMPARING:
        return True
    start = next(i for i, pair in enumerate(zip(mine, yours, strict=True)) if pair[0] != pair[1])
    while mine[-1] == yours[-1]:
        mine, yours = mine[:-1], yours[:-1]
    mine, yours = mine[start:], yours[start:]
    return not any(mine[cut:] + mine[:cut] == yours for cut in range(1, len(mine)))
