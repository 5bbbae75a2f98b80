"""An order to the assistant is no memory: "ignore previous instructions", "translate this".

A standing wish of the user ("always answer in French") is a rule and stays one, and a sentence
that only mentions an order stays what it is. An order inside somebody else's words (code, a quoted
mail) commands nothing: it is neither a rule nor a request to forget. Invariant: a text is an order only when
each of its sentences is one; a rule with one sentence that overrides is none.
"""

from __future__ import annotations

from palimpsest.language.addressing import is_order, is_override, sentences
from palimpsest.language.foreign_words import is_foreign
from palimpsest.proposals import Proposal, Seen
from palimpsest.write.filters.quoted import text_of


def instruction(proposal: Proposal, seen: Seen) -> str | None:
    """``instruction`` where a text tells the assistant what to do now, or what to be."""
    told = sentences(proposal.text)
    commands = proposal.kind == "rule" or proposal.op == "forget"
    # "Forget everything above" may be what it says: a request that is not to be lost.
    above = proposal.op != "forget"
    if commands and any(is_override(sentence, above=above) for sentence in told):
        return "instruction"
    text, quote = text_of(proposal.quote, seen.turn), proposal.quote
    if commands and text and is_foreign(text, quote.start, quote.end):
        return "instruction"
    if proposal.op == "forget" or not told:
        return None
    orders = all(is_override(sentence) or is_order(sentence) for sentence in told)
    return "instruction" if orders else None
