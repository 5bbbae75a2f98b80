"""Lexicons: the words of one language by which facts are told apart.

A lexicon is a TOML file in this folder, named by its language code. ``negations`` turn a
statement round, ``relative_days`` name a day by its distance from today, ``units`` follow a
number, ``numbers`` are numbers in letters, ``hedges`` are reservations of the speaker, ``likes``
and ``dislikes`` are two sides of one liking. ``dropped`` are further words without content, ``kept``
words that the list of the library drops and that carry content.
Invariant: a lexicon with an unknown or missing key is refused.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, fields

from palimpsest.language import word_file


# Compared by identity: what is made from a lexicon is kept by it, and its lists are long.
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Lexicon:
    """One language; see the module for what each list is for."""

    language: str
    negations: tuple[str, ...]
    relative_days: tuple[str, ...]
    units: tuple[str, ...]
    numbers: tuple[str, ...]
    hedges: tuple[str, ...]
    likes: tuple[str, ...]
    dislikes: tuple[str, ...]
    dropped: tuple[str, ...]
    kept: tuple[str, ...]


@functools.cache
def names() -> tuple[str, ...]:
    """The languages that have a lexicon, sorted."""
    return word_file.languages(__name__)


@functools.cache
def load(language: str) -> Lexicon:
    """The lexicon of a language code; raises SpecError with the known codes."""
    text = word_file.text_of(__name__, language, "lexicon")
    return read(text, where=f"the lexicon {language}")


def read(text: str, *, where: str) -> Lexicon:
    """Read the text of a lexicon; raises ConfigError with the key at fault."""
    data = word_file.parsed(text, where)
    word_file.check_keys(data, {field.name for field in fields(Lexicon)}, where)
    language = word_file.word(data.pop("language"), f"{where}: language")
    lists = {key: word_file.words(value, f"{where}: {key}") for key, value in data.items()}
    return Lexicon(language=language, **lists)
