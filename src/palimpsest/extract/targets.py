"""Which current memories a correction or a forget request means.

Each candidate is weighed by what it shares with the words: the old value by name counts most,
then the field of life, then each word, the rarer the more; one about somebody else counts
nothing. Invariant: a pure function; where no candidate is clearly ahead a correction has no
target, since a wrong one would lose a fact, and a forget request has every one that may be meant.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import regex

from palimpsest.extract.grammar import Grammar, bare
from palimpsest.extract.people import Owner, apart, owner_of
from palimpsest.extract.subjects import attribute_of, told_value
from palimpsest.language import lexicon, stems
from palimpsest.language.carriers import carriers
from palimpsest.language.contractions import written_out
from palimpsest.language.guess import languages_of
from palimpsest.language.identifiers import identifiers
from palimpsest.language.phrases import pattern, phrases_in
from palimpsest.language.stop_words import stop_words
from palimpsest.language.word_list import folded, word_list
from palimpsest.types import Memory

ENOUGH = 1.0
"""The least weight of a target."""
AHEAD = 0.5
"""By how much it must lead the next candidate."""
_VALUE, _DOMAIN, _WORD, _KIND = 2.0, 1.0, 1.0, 0.5
"""The weights of a shared value, field, rare word and kind of value."""
_KEPT = 8_192
"""Readings of texts that are kept: every statement is weighed against every memory."""
_TIED = 1.4
"""The least weight by which a correction means a memory of no one field: two words, say."""
_MANY = ("family", "friends", "people", "pet", "meeting")
"""Fields in which one has several of a thing: a second sister is no correction."""
_WIDE = frozenset({*_MANY, "sport", "body", "phone", "health", "smoke", "chat", "drink"})
"""Fields that alone do not tell which fact a correction means."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Meant:
    """The memories that a request to forget means, oldest first."""

    rows: tuple[Memory, ...] = ()
    clear: bool = False
    """True where all of them are meant, false where one of them is."""


def target(words: str, memories: Sequence[Memory], grammar: Grammar) -> Memory | None:
    """The one memory that a correction means; ``None`` where none or several may be."""
    weighed = [
        pair for pair in _weighed(words, memories, grammar, replaces=True) if pair[0] >= ENOUGH
    ]  # fmt: skip
    # Who speaks two languages corrects in the one in which it was said.
    same = [pair for pair in weighed if grammar.language in languages_of(pair[1].text)]
    weighed = same or weighed
    if not weighed:
        return None
    best, row = weighed[0]
    return None if len(weighed) > 1 and best - weighed[1][0] < AHEAD else row


def meant(words: str, memories: Sequence[Memory], grammar: Grammar) -> Meant:
    """The memories that a request to forget means: one, wordings of one, or all that may be."""
    weighed = [(w, row) for w, row in _weighed(words, memories, grammar) if w >= ENOUGH]
    if not weighed:
        return Meant()
    near = [row for w, row in weighed if weighed[0][0] - w < AHEAD]
    first = near[0]
    same = [row for _, row in weighed if _says_the_same(row, first)]
    clear = all(row in same for row in near)
    rows = same if clear else near
    return Meant(rows=tuple(sorted(rows, key=lambda row: row.id)), clear=clear)


def flipped(text: str, memories: Sequence[Memory], grammar: Grammar) -> Memory | None:
    """The one memory that a statement turns round: "dogs are not allowed" after "... are"."""
    core, denied = _core(text, grammar)
    if len(core) < 2:
        return None
    found = [
        row for row in memories
        if _core(row.text, grammar) == (core, not denied)
        and not apart(owner_of(text, grammar), owner_of(row.text, grammar), text, row.text)
    ]  # fmt: skip
    return found[-1] if len(found) == 1 else None


def restated(text: str, memories: Sequence[Memory], grammar: Grammar) -> Memory | None:
    """The one memory that says the same of the same thing with another value.

    "The review is on Tuesday", later "... on Thursday". Only of a thing of which there is one.
    """
    attribute = attribute_of(text, grammar)
    value = told_value(text, attribute, grammar)
    if attribute is None or value is None or _of_many(text, attribute, grammar):
        return None
    shape = _shape(text, value)
    found = [
        row for row in memories
        if row.attribute == attribute and row.value and row.value != value
        and _digits(row.value) == _digits(value) and _shape(row.text, row.value) == shape
    ]  # fmt: skip
    return found[-1] if len(found) == 1 else None


def _of_many(text: str, attribute: str, grammar: Grammar) -> bool:
    flat = folded(text)
    if pattern(grammar.subjects).match(flat) is not None:
        return False
    many = [word for name in _MANY for word in grammar.domains.get(name, ())]
    return bool(phrases_in(attribute, tuple(many)))


def _shape(text: str, value: str) -> str:
    """A text without its value and its last mark."""
    return folded(text.replace(value, "\u25a1", 1)).rstrip(" .!")


def _digits(value: str) -> bool:
    return any(map(str.isdigit, value))


def _says_the_same(one: Memory, other: Memory) -> bool:
    if one.id == other.id:
        return True
    if one.attribute is not None and one.attribute == other.attribute:
        return True
    return one.value is not None and one.value == other.value


def _weighed(
    words: str, memories: Sequence[Memory], grammar: Grammar, *, replaces: bool = False
) -> list[tuple[float, Memory]]:
    """The memories by their weight, the heaviest first, and of equals the newest."""
    held = [_content(f"{row.attribute or ''} {row.text}", grammar) for row in memories]
    often = Counter(word for each in held for word in each)
    asked = _Asked(words, grammar, replaces)
    found = [
        (asked.weight(row, each, often), row) for row, each in zip(memories, held, strict=True)
    ]
    return sorted(found, key=lambda pair: (pair[0], pair[1].id), reverse=True)


class _Asked:
    """The words of a correction or a request, read once."""

    def __init__(self, words: str, grammar: Grammar, replaces: bool) -> None:
        self.words, self.grammar, self.replaces = words, grammar, replaces
        self.flat = bare(folded(words))
        self.content = _content(words, grammar)
        self.fields = _fields(words, grammar)
        self.kinds = _kinds(words)
        self.identifiers = {bare(folded(found)) for found in identifiers(words)}
        self.owner: Owner = owner_of(words, grammar)

    def weight(self, row: Memory, held: frozenset[str], often: Counter[str]) -> float:
        """How much a memory shares with the words; none where it is about somebody else."""
        if apart(self.owner, owner_of(row.text, self.grammar), self.words, row.text):
            return 0.0
        fields = _fields(f"{row.attribute or ''} {row.text}", self.grammar)
        common = self.content & held
        topic = _topic_words(self.grammar, self.fields & fields)
        if not self.replaces and self.content <= topic:
            # "Forget the visit" means whoever visits, whether or not in this word.
            common -= topic
        found: float = sum(_WORD / often[word] ** 0.5 for word in common)
        text = bare(folded(row.text))
        named = row.value is not None and _names(bare(folded(row.value)), self.flat)
        if named or any(each in text for each in self.identifiers):
            found += _VALUE
        if shared := self.fields & fields:
            narrow = bool(shared - _WIDE)
            found += _DOMAIN if narrow or not self.replaces else _DOMAIN / 2
        elif self.replaces and self.fields and fields and not named:
            # Words in common across two fields of life are an accident.
            return 0.0
        else:
            narrow = False
        found += _KIND if self.kinds & _kinds(row.text) else 0.0
        # One word in common is enough to ask what is to go, and not to replace a fact.
        return found if narrow or not self.replaces or found >= _TIED else 0.0


@functools.cache
def _topic_words(grammar: Grammar, topics: frozenset[str]) -> frozenset[str]:
    """The single words of some topics, as stems."""
    words = (word for name in topics for word in grammar.topics.get(name, ()) if " " not in word)
    return _content(" ".join(words), grammar)


def _names(value: str, flat: str) -> bool:
    """True where a text names a value as whole words."""
    shape = rf"(?<![\p{{L}}\p{{N}}]){regex.escape(value)}(?![\p{{L}}\p{{N}}])"
    return regex.search(shape, flat) is not None


@functools.lru_cache(maxsize=_KEPT)
def _content(text: str, grammar: Grammar) -> frozenset[str]:
    """The content words of a text as stems without accents."""
    dropped = stop_words(grammar.language)
    stem = stems.stems(grammar.language).of
    words = word_list(written_out(folded(text)))
    return frozenset(stem(bare(word)) for word in words if word not in dropped)


@functools.lru_cache(maxsize=_KEPT)
def _core(text: str, grammar: Grammar) -> tuple[frozenset[str], bool]:
    """The content words of a text without its denials and cues, and whether it denies."""
    flat = written_out(folded(text))
    denials = tuple(n for n in lexicon.load(grammar.language).negations)
    denied = bool(phrases_in(flat, denials))
    plain = pattern((*denials, *grammar.corrections, *grammar.openers)).sub(" ", flat)
    return _content(plain, grammar), denied


@functools.lru_cache(maxsize=_KEPT)
def _fields(text: str, grammar: Grammar) -> frozenset[str]:
    """The domains that have a word in a text."""
    flat = folded(text)
    return frozenset(
        name
        for table in (grammar.domains, grammar.topics)
        for name, words in table.items()
        if phrases_in(flat, words)
    )


@functools.lru_cache(maxsize=_KEPT)
def _kinds(text: str) -> frozenset[str]:
    """The kinds of the carriers of a text."""
    return frozenset(carrier.kind for carrier in carriers(text))
