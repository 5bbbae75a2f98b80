"""Reservations of a speaker: "I think", "peut-être", "vielleicht".

Uncertainty is in the words, never in a number. Invariant: a pure function; a reservation is a
whole word or phrase of a lexicon, and "I think" about a plan or a taste is one too.
"""

from __future__ import annotations

from palimpsest.language import lexicon
from palimpsest.language.guess import languages_of
from palimpsest.language.phrases import phrases_in
from palimpsest.language.word_list import folded


def hedged(text: str) -> bool:
    """True where the text says its fact with a reservation."""
    return bool(hedge_of(text))


def hedge_of(text: str) -> str:
    """The first reservation of a text in its languages, folded; empty where there is none."""
    flat = folded(text)
    for code in languages_of(text):
        for start, end in phrases_in(flat, lexicon.load(code).hedges):
            return flat[start:end]
    return ""
