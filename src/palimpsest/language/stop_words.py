"""Words without content, by language: the list of a kept library, put right by the lexicon.

English has the lexicon's list alone: the library's holds verbs and nouns that are what a fact
says. Invariant: a negation, a number and a relative day are never without content.
"""

from __future__ import annotations

import functools

from stop_words import get_stop_words

from palimpsest.language import lexicon
from palimpsest.language.word_list import word_list

_OWN_LIST = frozenset({"en"})


@functools.cache
def stop_words(language: str) -> frozenset[str]:
    """The stop words of a language that has a lexicon, folded."""
    held = lexicon.load(language)
    listed = () if language in _OWN_LIST else get_stop_words(language)
    found = {word for phrase in (*listed, *held.dropped) for word in word_list(phrase)}
    telling = (held.kept, held.negations, held.numbers, held.relative_days, held.likes)
    kept = {word for phrases in telling for phrase in phrases if " " not in phrase
            for word in word_list(phrase)}  # fmt: skip
    return frozenset(found - kept)
