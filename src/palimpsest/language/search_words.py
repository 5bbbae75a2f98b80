"""The words by which a text is found, each in the spellings that count as that word.

Looser than ``content_words``, which tells facts apart: accents and short vowels are left out,
and a word is found under its stem in any of our languages. Invariant: a pure function; a
spelling has letters, marks and digits only, is lower case, and is not longer than ``LONGEST``.
"""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Iterator
from itertools import islice

import regex

from palimpsest.language import lexicon, stems
from palimpsest.language.contractions import written_out
from palimpsest.language.guess import languages_of
from palimpsest.language.stop_words import stop_words
from palimpsest.language.word_list import UNSPACED_RUN, folded, runs

Spellings = tuple[str, ...]

SCHEME = 3
"""Raised whenever a text gives other words than before: kept words are then made anew."""
LONGEST = 64
"""Characters of a word that count."""
MOST_KEPT = 1_000
"""Different words of one text that are kept; a memory is a statement, not a book."""
MOST_ASKED = 64
"""Different words of a question that are looked for."""

_MARKED = regex.compile(r"([\p{Latin}\p{Greek}\p{Arabic}\p{Hebrew}])\p{M}+", regex.V1)
# A word that begins with a capital; in the middle of a sentence it is a name or an abbreviation.
_CAPITAL = regex.compile(r"(?<![\p{L}\p{M}\p{N}])\p{Lu}[\p{L}\p{M}\p{N}]*")
_NAMED = regex.compile(r"(?<=[\p{Ll}\p{M}\p{N},;][ \"'“‘(])" + _CAPITAL.pattern)
_NEVER_NAMES = frozenset({"I"})
_CYRILLIC = regex.compile(r"(?<=\p{Cyrillic})[\u0300\u0301]|(?<=\u0435)\u0308", regex.V1)
# Letters that no decomposition takes apart; Arabic letters that are typed for one another.
_PLAIN = str.maketrans(
    {
        "ı": "i", "ø": "o", "œ": "oe", "æ": "ae", "ł": "l", "đ": "d", "ð": "d", "ħ": "h",
        "þ": "th", "ŧ": "t", "ى": "ي", "ة": "ه", "ک": "ك", "ی": "ي", "\u0640": "",
    }
)  # fmt: skip


def kept_words(text: str) -> tuple[str, ...]:
    """Every spelling under which a text is to be found, in its order, each once.

    A run of a script without blanks is found by its characters and by its pairs.
    """
    spoken = languages_of(text)
    # Kept wherever a capital stands, since a name may open a sentence; only a question that
    # clearly names it finds it.
    named = _capitals(_CAPITAL, text)
    return tuple(
        dict.fromkeys(
            spelling
            for run in islice(_runs(text, spoken, named), MOST_KEPT)
            for spelling in (
                _pieces(run, alone=True) if _unspaced(run) else _forms(run, spoken[:2])
            )
        )
    )


@functools.lru_cache(maxsize=256)
def asked_words(question: str) -> tuple[Spellings, ...]:
    """The words of a question in its order, each once; a text with any spelling has the word."""
    found: dict[Spellings, None] = {}
    named = _capitals(_NAMED, question)
    for run in islice(_runs(question, languages_of(question), named), MOST_ASKED):
        if _unspaced(run):
            found.update(((piece,), None) for piece in _pieces(run, alone=False))
        else:
            # A short question does not show its language, so its words are stemmed in each.
            found[_forms(run, lexicon.names())] = None
    return tuple(found)[:MOST_ASKED]


def plain(word: str) -> str:
    """A folded word without accents, and without vowel signs where readers leave them out."""
    if word.isascii():
        return word
    apart = _MARKED.sub(r"\1", unicodedata.normalize("NFD", word))
    return unicodedata.normalize("NFC", _CYRILLIC.sub("", apart)).translate(_PLAIN)


def _capitals(pattern: regex.Pattern[str], text: str) -> frozenset[str]:
    """The folded words that are written as names are: Will, the Who, C, IT, the US."""
    found = (match.group() for match in pattern.finditer(unicodedata.normalize("NFKC", text)))
    return frozenset(folded(word) for word in found if word not in _NEVER_NAMES)


def _runs(text: str, spoken: tuple[str, ...], named: frozenset[str]) -> Iterator[str]:
    """The different words of a text without those that say nothing, unless they are names."""
    dropped = set(stop_words(spoken[0]) if spoken else ()) - named
    for run in runs(written_out(folded(text))):
        if run not in dropped:
            dropped.add(run)
            yield run


def _forms(word: str, languages: tuple[str, ...]) -> Spellings:
    """The word as it is spelt, then its stems."""
    cut = word[:LONGEST]
    spelt = (cut, *(stems.stems(code).of(cut) for code in languages))
    return tuple(dict.fromkeys(plain(form) for form in spelt if plain(form)))


def _unspaced(run: str) -> bool:
    return UNSPACED_RUN.match(run) is not None


def _pieces(run: str, *, alone: bool) -> list[str]:
    pairs = [plain(run[i : i + 2]) for i in range(len(run) - 1)]
    return [*pairs, *run] if alone or not pairs else pairs
