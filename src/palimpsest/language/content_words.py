"""The words that say what a text is about: folded, stemmed, without stop words.

Invariant: a pure function. Numbers and negations are content; letters of every script are.
"""

from __future__ import annotations

import functools

from palimpsest.language import stems
from palimpsest.language.contractions import written_out
from palimpsest.language.guess import languages_of
from palimpsest.language.stop_words import stop_words
from palimpsest.language.word_list import folded, word_list


@functools.lru_cache(maxsize=16_384)
def content_words(text: str) -> frozenset[str]:
    """The content words of a text, each as its stem in the likeliest language."""
    return frozenset(content_list(text))


def content_list(text: str) -> tuple[str, ...]:
    """The same in the order of the text, repeated where the text repeats them."""
    languages = languages_of(text)
    return content_in(text, languages[0] if languages else None)


def content_in(text: str, language: str | None) -> tuple[str, ...]:
    """The same in a language that is known, as of a reply that is too short to tell its own."""
    words = word_list(written_out(folded(text)))
    if language is None:
        return tuple(words)
    dropped = stop_words(language)
    stem = stems.stems(language).of
    return tuple(stem(word) for word in words if word not in dropped)
