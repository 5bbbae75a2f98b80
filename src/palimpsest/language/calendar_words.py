"""Names of days and months in the languages that have a lexicon, out of CLDR.

Invariant: a name is a whole word in lower case; "mais" is no "mai", and what a short form
says is told by the number beside it, since many short forms are words of their own.
"""

from __future__ import annotations

import functools

from babel import Locale

from palimpsest.language import lexicon
from palimpsest.language.word_list import folded

_WORDS_TOO = {"en": frozenset({"may", "march"})}
"""Names that are everyday words in their language: a month only beside a number."""


@functools.cache
def names_of(language: str) -> frozenset[str]:
    """The full names of the days and months of a language that are nothing else."""
    return _names(language, "wide") - _WORDS_TOO.get(language, frozenset())


@functools.cache
def short_names_of(language: str) -> frozenset[str]:
    """Short names, and full ones that are words too: they count beside a number only."""
    return (_names(language, "abbreviated") | _names(language, "wide")) - names_of(language)


def _names(language: str, width: str) -> frozenset[str]:
    locale = Locale(language)
    found = {
        folded(name).rstrip(".")
        for table in (locale.months, locale.days)
        for context in ("format", "stand-alone")
        for name in table[context][width].values()
    }
    # "terça-feira" is said "terça" as well.
    return frozenset(found | {name.removesuffix("-feira") for name in found})


@functools.cache
def all_names() -> frozenset[str]:
    """The full names in every language that has a lexicon."""
    return frozenset().union(*map(names_of, lexicon.names()))


@functools.cache
def full_names_of(language: str) -> dict[str, str]:
    """Months by their short and their full names, folded, as their full names."""
    months = Locale(language).months["format"]
    return {
        folded(months[width][number]).rstrip("."): folded(months["wide"][number])
        for width in ("abbreviated", "wide")
        for number in months["wide"]
    } | ({"sept": "september"} if language == "en" else {})
