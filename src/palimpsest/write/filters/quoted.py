"""A proposal quotes the user's own words of the turn that it was read from.

Invariant: a span in an assistant's or a tool's message, or outside its text, is no evidence.
"""

from __future__ import annotations

from palimpsest.proposals import Proposal, Quote, Seen
from palimpsest.types import Turn


def quoted(proposal: Proposal, seen: Seen) -> str | None:
    """``no-quote`` where the span holds no words of the user, or words that were read before."""
    if proposal.quote.message < seen.unread:
        return "no-quote"
    return None if words_of(proposal.quote, seen.turn).strip() else "no-quote"


def words_of(quote: Quote, turn: Turn) -> str:
    """The user's words at a quote; empty where it quotes anything else."""
    if not 0 <= quote.message < len(turn.messages):
        return ""
    message = turn.messages[quote.message]
    texts = message.texts()
    if message.role != "user" or not 0 <= quote.text < len(texts):
        return ""
    if not 0 <= quote.start < quote.end <= len(texts[quote.text]):
        return ""
    return texts[quote.text][quote.start : quote.end]
