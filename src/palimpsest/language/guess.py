"""Which languages a text may be in, told by their small words.

Invariant: a pure function; the best guess comes first, and a text without any known word is
taken as English where its letters are Latin and as no language where they are not.
"""

from __future__ import annotations

import functools

import regex

from palimpsest.language import lexicon
from palimpsest.language.calendar_words import names_of
from palimpsest.language.stop_words import stop_words
from palimpsest.language.word_list import word_list

_LATIN = regex.compile(r"\p{Latin}")
_ENOUGH = 400
"""Words that are looked at."""


@functools.lru_cache(maxsize=4_096)
def languages_of(text: str) -> tuple[str, ...]:
    """The codes of the languages that a text may be in, likeliest first."""
    words = word_list(text)[:_ENOUGH]
    counts = {code: sum(map(_known(code).__contains__, words)) for code in lexicon.names()}
    best = max(counts.values(), default=0)
    if not best:
        return ("en",) if _LATIN.search(text) else ()
    # A tie is broken by the order of the codes, English first.
    ranked = sorted(counts, key=lambda code: (-counts[code], code != "en", code))
    return tuple(code for code in ranked if counts[code] * 4 >= best * 3)


@functools.cache
def _known(code: str) -> frozenset[str]:
    """The words of a lexicon that a text of the language is likely to hold."""
    held = lexicon.load(code)
    lists = (held.negations, held.relative_days, held.numbers, held.likes, held.units)
    words = {word for phrases in lists for phrase in phrases for word in word_list(phrase)}
    return frozenset(words) | stop_words(code) | names_of(code)
