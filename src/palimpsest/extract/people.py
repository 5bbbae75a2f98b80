"""Whose thing a text is about: the speaker's, Anna's, the sister's, or nobody's in particular.

A correction of Anna's number must not touch Ben's. Invariant: a pure function; a text that
names nobody may be about anybody.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import regex

from palimpsest.extract.grammar import Grammar, bare, words_of
from palimpsest.extract.statements import named_first, without_openers
from palimpsest.language.phrases import pattern, phrases_in
from palimpsest.language.stop_words import stop_words
from palimpsest.language.word_list import folded, word_list

_GENITIVE = {
    "en": r"(?P<name>\p{Lu}[\p{L}-]+)['\u2019]s?(?=\s)",
    "de": r"(?:^|(?<=\s))(?P<name>\p{Lu}\p{Ll}+)(?:s|['\u2019])(?=\s\p{Lu})|\bvon\s+(?P<name>\p{Lu}\p{Ll}+)",
    "fr": r"\b(?:de\s|d['\u2019])(?P<name>\p{Lu}[\p{L}-]+)",
    "es": r"\b(?:de|del)\s(?P<name>\p{Lu}[\p{L}-]+)",
    "it": r"\b(?:di|del|della)\s(?P<name>\p{Lu}[\p{L}-]+)",
    "pt": r"\b(?:de|do|da)\s(?P<name>\p{Lu}[\p{L}-]+)",
}
"""How each language says whose something is."""
_NAME_WORDS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """Who a text is about."""

    names: frozenset[str]
    """Names and words such as "sister", folded; empty where nobody else is named."""
    speaker: bool
    """True where it says "my" or "I"."""


def owner_of(text: str, grammar: Grammar) -> Owner:
    """Who the subject of a text belongs to."""
    head = _head(text, grammar)
    named = _genitive(grammar.language).finditer(head)
    small = stop_words(grammar.language)
    names = {bare(folded(f["name"])) for f in named if folded(f.group()) not in small}
    if (name := named_first(text, grammar)) and _is_subject(text, name, grammar):
        names.add(bare(name).removesuffix("'s"))
    flat = bare(folded(head))
    kin = {word for word in word_list(flat) if word in _kin(grammar)}
    own = bool(phrases_in(flat, grammar.first)) or any(
        word in words_of(grammar.own_verbs) for word in word_list(flat)
    )
    return Owner(names=frozenset(names | kin), speaker=own)


def apart(one: Owner, other: Owner, said: str, held: str) -> bool:
    """True where two texts are about different people; ``said`` and ``held`` are their words."""
    if one.names and other.names:
        # "Bob comes instead of Ana" names whom it replaces.
        named = set(word_list(bare(folded(said)))) & other.names
        return not (one.names & other.names) and not named
    if one.names and other.speaker:
        return not one.names & set(word_list(bare(folded(held))))
    return bool(other.names and one.speaker) and not other.names & set(
        word_list(bare(folded(said)))
    )


def _head(text: str, grammar: Grammar) -> str:
    """What stands before the verb: the whole text where none is known."""
    flat = text.casefold()
    opened = pattern((*grammar.corrections, *grammar.openers)).match(flat)
    begin = opened.end() if opened else 0
    verb = pattern((*grammar.copulas, *grammar.verbs)).search(flat, begin)
    turned = verb is not None and not flat[begin : verb.start()].strip(" ,")
    return text[begin:] if verb is None or turned else text[begin : verb.start()]


def _is_subject(text: str, name: str, grammar: Grammar) -> bool:
    """True where a verb follows the name that opens the text."""
    flat = without_openers(folded(text), grammar)
    verb = pattern((*grammar.verbs, *grammar.copulas)).search(flat)
    if verb is None or word_list(name)[0] in _plain(grammar):
        return False
    if grammar.language == "de" and len(word_list(flat[: verb.start()])) > 1:
        return False
    return 0 < len(word_list(flat[: verb.start()])) <= _NAME_WORDS


@functools.cache
def _genitive(language: str) -> regex.Pattern[str]:
    return regex.compile(_GENITIVE.get(language, r"(?P<name>(?!))"))


@functools.cache
def _kin(grammar: Grammar) -> frozenset[str]:
    listed = (*grammar.domains.get("family", ()), *grammar.domains.get("friends", ()))
    people = {bare(folded(word)) for word in listed}
    return frozenset(people - {bare(w) for w in _STATES.get(grammar.language, ())})


_STATES = {"en": ("married", "divorced"), "fr": ("marié", "mariée"), "de": ("verheiratet", "mann"),
           "es": ("casado", "casada"), "it": ("sposato", "sposata"),
           "pt": ("casado", "casada")}  # fmt: skip
"""Words of the field that name nobody."""


@functools.cache
def _plain(grammar: Grammar) -> frozenset[str]:
    """First words that are no names, whatever their capital."""
    lists = (grammar.first, grammar.own_verbs, grammar.subjects, grammar.corrections,
             grammar.orders, grammar.politeness, grammar.openers, grammar.standing)  # fmt: skip
    words = {word for phrases in lists for phrase in phrases for word in word_list(phrase)}
    return frozenset(words | stop_words(grammar.language))
