"""What the assistant thinks, feels or supposes is no fact about the user.

Either the text says it of the assistant, or of a "you"; or it states a liking in words that only
the assistant used ("you seem to like jazz"). Invariant: words that the user used too are the
user's, and a text is the assistant's only when each of its sentences is.
"""

from __future__ import annotations

from palimpsest.language import lexicon
from palimpsest.language.addressing import is_of_assistant, sentences
from palimpsest.language.content_words import content_words
from palimpsest.language.guess import languages_of
from palimpsest.language.phrases import pattern, phrases_in
from palimpsest.language.word_list import folded
from palimpsest.proposals import Proposal, Seen


def attitude(proposal: Proposal, seen: Seen) -> str | None:
    """``assistant-attitude`` where a proposal is the assistant's and not the user's."""
    if proposal.op == "forget":
        return None
    told = sentences(proposal.text)
    if told and all(map(is_of_assistant, told)):
        return "assistant-attitude"
    return "assistant-attitude" if _supposed(proposal.text, seen) else None


def _supposed(text: str, seen: Seen) -> bool:
    """True for a liking whose object only the assistant named."""
    turns = (*seen.before, seen.turn)
    said = content_words("\n".join(turn.user for turn in turns))
    for code in languages_of(text):
        likings = (*lexicon.load(code).likes, *lexicon.load(code).dislikes)
        flat = folded(text)
        if not phrases_in(flat, likings):
            continue
        liked = content_words(pattern(likings).sub(" ", flat)) - _SPEAKER - said
        answered = content_words("\n".join(turn.assistant for turn in turns))
        if liked and liked <= answered:
            return True
    return False


_SPEAKER = content_words(
    "user utilisateur utilisatrice nutzer nutzerin benutzer usuario usuaria utente usuário usuária"
)
"""Words for who is spoken of, in no need of being said."""
