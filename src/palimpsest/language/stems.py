"""Word stems by language: the one place that knows Snowball.

A language offers its stop words and its stemmer under a short code; a further language is
one more entry of the table. Invariant: a stem is a pure function of word and language, the
same in every thread and with or without the C build of the library; two ASCII texts that
share a plain word (``words``) share a stem.
"""

from __future__ import annotations

import functools
import importlib
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, cast

from palimpsest.errors import SpecError
from palimpsest.language.stop_words import stop_words
from palimpsest.language.words import ENGLISH_STOP_WORDS


class _Snowball(Protocol):
    def stemWord(self, word: str) -> str: ...  # noqa: N802 - the library's own name


@dataclass(frozen=True, slots=True, kw_only=True)
class Stems:
    """What one language brings to comparing words."""

    language: str
    algorithm: str
    """The Snowball algorithm, as the library names it."""
    stop_words: frozenset[str]
    """Words that say nothing about what a text is about, in lower case."""

    def of(self, word: str) -> str:
        """The stem of a word in lower case."""
        return _stem(self.algorithm, word)

    def words(self, text: str) -> frozenset[str]:
        """The stems of the words of a text, stop words left out; letters of any alphabet."""
        spelt = unicodedata.normalize("NFC", text.lower())
        return frozenset(map(self.of, frozenset(_WORD.findall(spelt)) - self.stop_words))


_WORD = re.compile(r"[^\W_]+")
_FRENCH = (
    "a ai au aux avec c ce ces cet cette d dans de des du elle en est et eu il ils elles j je l la "
    "le les leur leurs lui m ma mais me mes moi mon n ne nos notre nous on ont ou où par pas pour "
    "qu que quel quelle quelles quels quand qui s sa se ses son sont sur t ta te tes toi ton tu un "
    "une va vos votre vous y à été être"
)

LANGUAGES: Mapping[str, Stems] = {
    "en": Stems(language="en", algorithm="english", stop_words=ENGLISH_STOP_WORDS),
    "fr": Stems(language="fr", algorithm="french", stop_words=frozenset(_FRENCH.split())),
}


def stems(language: str) -> Stems:
    """The stems of a language by its code; raises SpecError with the known codes."""
    found = LANGUAGES.get(language)
    if found is not None:
        return found
    if language not in _FURTHER:
        known = ", ".join((*LANGUAGES, *_FURTHER))
        raise SpecError(f"language={language!r} has no stems; known: {known}")
    return _further(language)


_FURTHER = {"de": "german", "es": "spanish", "it": "italian", "pt": "portuguese"}


@functools.cache
def _further(language: str) -> Stems:
    """A language whose stop words are those of its lexicon."""
    return Stems(language=language, algorithm=_FURTHER[language], stop_words=stop_words(language))


@functools.lru_cache(maxsize=65_536)
def _stem(algorithm: str, word: str) -> str:
    # A stemmer keeps the word that it works on in itself, so each call has its own.
    return _factory(algorithm)().stemWord(word)


@functools.cache
def _factory(algorithm: str) -> type[_Snowball]:
    # Not snowballstemmer.stemmer(): it hands over to PyStemmer where that is installed, and
    # two versions of an algorithm need not agree.
    module = importlib.import_module(f"snowballstemmer.{algorithm}_stemmer")
    return cast(type[_Snowball], getattr(module, f"{algorithm.title()}Stemmer"))
