"""Where a compound sentence goes on with another statement: "I live in Oslo and my PIN is 4417".

A comma or a joining word cuts where the speaker, or a request to forget, follows it. Invariant:
joints are spans of the sentence, in order and apart; a word that only begins with a joining one
cuts nothing.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

import regex

from palimpsest.extract.forgetting import opens_request
from palimpsest.extract.grammar import Grammar, words_of
from palimpsest.language.phrases import pattern
from palimpsest.language.word_list import folded

_AHEAD = 160
"""Characters behind a joint that tell whether another statement begins there."""
_WORD = regex.compile(r"[\p{L}'-]+")
_QUOTES = ('"', "\u201c", "\u201e", "\u00ab", "\u2018")
_ALWAYS = ";\u2013\u2014"


def joints(sentence: str, grammar: Grammar) -> Iterator[tuple[int, int]]:
    """The spans between the statements of a sentence."""
    for found in _marks(grammar).finditer(sentence):
        rest = folded(sentence[found.end() : found.end() + _AHEAD])
        mark = found.group().strip()
        if rest.startswith(_QUOTES):
            continue
        plain = rest.startswith("\u00bf") or mark in tuple(_ALWAYS)
        if plain or opens_request(rest, grammar) or (mark != ":" and _states(rest, mark, grammar)):
            yield found.span()


def _states(rest: str, mark: str, grammar: Grammar) -> bool:
    """True where the speaker is named at once, behind words that say nothing too."""
    opened = False
    while not _names(rest, mark, grammar):
        found = pattern(grammar.openers).match(rest)
        if found is None or not (left := rest[found.end() :].lstrip(" ,:;.!-")):
            # "Übrigens schwimme ich": a verb may stand between.
            verb = _WORD.match(rest)
            return opened and verb is not None and _names(rest[verb.end() :].lstrip(), "", grammar)
        rest, opened = left, True
    return True


def _names(rest: str, mark: str, grammar: Grammar) -> bool:
    if pattern(grammar.first).match(rest):
        return True
    word = _WORD.match(rest)
    if word is None:
        return False
    own = words_of(grammar.own_verbs)
    return word.group() in own or (mark == "," and word.group() in words_of(grammar.shared_verbs))


@functools.cache
def _marks(grammar: Grammar) -> regex.Pattern[str]:
    joins = "|".join(map(regex.escape, sorted(grammar.joins, key=len, reverse=True))) or "(?!)"
    return regex.compile(
        rf"\s*[,:{_ALWAYS}]\s+(?:(?:{joins})[\s,]+)?"
        # "Não é" is typed "nao e": what looks like "and" behind a denial is none.
        rf"|(?<!\bn[aã]o)\s+(?:{joins})\s+|\s+(?=\u00bf)",
        regex.IGNORECASE,
    )
