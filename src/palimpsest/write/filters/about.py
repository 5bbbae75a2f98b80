"""A memory is about the user: not code, a quoted text, a scene, or a plain question.

What others do is about the user too when the user tells it ("Ana works at Acme"), so only
what is told by its form is refused: words that stand as somebody else's, a sentence of fiction, and a question that only
asks. Invariant: a sentence that says "I" or "my" is about the user.
"""

from __future__ import annotations

from palimpsest.language.addressing import is_fiction, is_plain_question, sentences
from palimpsest.language.foreign_words import is_foreign
from palimpsest.proposals import Proposal, Seen
from palimpsest.write.filters.quoted import around, text_of


def about(proposal: Proposal, seen: Seen) -> str | None:
    """``not-about-the-user`` where the form of a text or of its quote says so."""
    if proposal.op == "forget":
        return None
    text, quote = text_of(proposal.quote, seen.turn), proposal.quote
    if text and is_foreign(text, quote.start, quote.end):
        return "not-about-the-user"
    told, asked = sentences(proposal.text), sentences(around(quote, seen.turn))
    if told and all(map(is_fiction, told)):
        return "not-about-the-user"
    return "not-about-the-user" if asked and all(map(is_plain_question, asked)) else None
