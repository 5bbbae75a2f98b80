"""What the assistant thinks, feels or supposes is no fact about the user.

Either the text says it of the assistant, or of a "you"; or it states a liking in words that only
the assistant used ("you seem to like jazz"). Invariant: words that the user used too are the
user's, and a text is the assistant's only when each of its sentences is.
"""

from __future__ import annotations

import functools

from palimpsest.language import lexicon, stems
from palimpsest.language.addressing import is_of_assistant, sentences
from palimpsest.language.guess import languages_of
from palimpsest.language.phrases import pattern, phrases_in
from palimpsest.language.stop_words import stop_words
from palimpsest.language.word_list import folded, word_list
from palimpsest.proposals import Proposal, Seen
from palimpsest.write.filters.quoted import verbatim


def attitude(proposal: Proposal, seen: Seen) -> str | None:
    """``assistant-attitude`` where a proposal is the assistant's and not the user's."""
    if proposal.op == "forget":
        return None
    told = sentences(proposal.text)
    if told and all(map(is_of_assistant, told)):
        return "assistant-attitude"
    supposed = not verbatim(proposal, seen) and _supposed(proposal.text, seen)
    return "assistant-attitude" if supposed else None


def _supposed(text: str, seen: Seen) -> bool:
    """True for a liking whose object only the assistant named."""
    turns, flat = (*seen.before, seen.turn), folded(text)
    said = "\n".join(turn.user for turn in turns)
    answered = "\n".join(turn.assistant for turn in turns)
    for code in languages_of(text):
        likings = (*lexicon.load(code).likes, *lexicon.load(code).dislikes)
        if not phrases_in(flat, likings):
            continue
        liked = _words(pattern(likings).sub(" ", flat), code) - _words(_SPEAKER, code)
        liked -= _words(said, code)
        if liked and liked <= _words(answered, code):
            return True
    return False


@functools.lru_cache(maxsize=64)
def _words(text: str, code: str) -> frozenset[str]:
    """Stems in one language, so that two texts compare."""
    stem, dropped = stems.stems(code).of, stop_words(code)
    return frozenset(stem(word) for word in word_list(text) if word not in dropped)


_SPEAKER = (
    "user utilisateur utilisatrice nutzer nutzerin benutzer usuario usuaria utente usuário usuária"
)
"""Words for who is spoken of, in no need of being said."""
