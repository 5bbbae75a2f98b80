"""Words of a text in any script, in order, folded so that spellings compare.

Scripts that write without blanks (Han, Kana, Hangul, Thai, Lao, Khmer, Burmese) are cut into
overlapping pairs of characters, so that a search for a part of a compound finds it without a
dictionary. Invariant: a pure function; full-width and composed forms of one text give one list.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

import regex

_UNSPACED = (
    r"\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\u30fc\u3005"
)
_RUN = regex.compile(rf"[{_UNSPACED}]+|[[\p{{L}}\p{{M}}\p{{N}}]--[{_UNSPACED}]]+", regex.V1)
_ACCENTS = regex.compile(r"(?<=\p{Latin})[\u0300-\u036f]+")
UNSPACED_RUN = regex.compile(rf"[{_UNSPACED}]+", regex.V1)
"""Finds a run of a script that is written without blanks."""


def folded(text: str) -> str:
    """The text in one spelling: NFKC, case folded, with one kind of apostrophe and blank."""
    plain = unicodedata.normalize("NFKC", text).casefold().replace("\u2019", "'")
    return " ".join(unicodedata.normalize("NFC", plain).split())


def unaccented(word: str) -> str:
    """A folded word without the accents that people leave out; other marks are letters."""
    if word.isascii():
        return word
    bare = _ACCENTS.sub("", unicodedata.normalize("NFD", word))
    return unicodedata.normalize("NFC", bare)


def word_list(text: str) -> list[str]:
    """The words of a text in their order; unspaced scripts as pairs of characters."""
    return list(_words(folded(text)))


def runs(text: str) -> Iterator[str]:
    """The runs of letters, marks and digits of a folded text; an unspaced script is one run."""
    return (found.group() for found in _RUN.finditer(text))


def _words(text: str) -> Iterator[str]:
    for run in runs(text):
        if not UNSPACED_RUN.fullmatch(run) or len(run) == 1:
            yield run
        else:
            yield from (run[i : i + 2] for i in range(len(run) - 1))
