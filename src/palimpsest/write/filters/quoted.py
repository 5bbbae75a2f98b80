"""A proposal quotes the user's own words of the turn that it was read from.

Invariant: a span in an assistant's or a tool's message, or outside its text, is no evidence.
"""

from __future__ import annotations

from palimpsest.language.sentences import sentence_spans
from palimpsest.language.word_list import folded
from palimpsest.proposals import Proposal, Quote, Seen
from palimpsest.types import Turn

_AROUND = 1_000
"""Characters before and behind a quote in which its sentence is looked for."""


def quoted(proposal: Proposal, seen: Seen) -> str | None:
    """``no-quote`` where the span holds no words of the user, or words that were read before."""
    if proposal.quote.message < seen.unread:
        return "no-quote"
    return None if words_of(proposal.quote, seen.turn).strip() else "no-quote"


def text_of(quote: Quote, turn: Turn) -> str:
    """The whole text of the user that a quote is in; empty where it quotes anything else."""
    if not 0 <= quote.message < len(turn.messages):
        return ""
    message = turn.messages[quote.message]
    texts = message.texts()
    return texts[quote.text] if message.role == "user" and 0 <= quote.text < len(texts) else ""


def words_of(quote: Quote, turn: Turn) -> str:
    """The user's words at a quote; empty where it quotes anything else."""
    text = text_of(quote, turn)
    return text[quote.start : quote.end] if 0 <= quote.start < quote.end <= len(text) else ""


def around(quote: Quote, turn: Turn) -> str:
    """The whole sentences that a quote stands in, a line each."""
    text = text_of(quote, turn)
    # A pasted document need not be cut into sentences for each quote of it.
    first = max(0, quote.start - _AROUND)
    near = text[first : quote.end + _AROUND]
    start, end = quote.start - first, quote.end - first
    return "\n".join(near[a:b] for a, b in sentence_spans(near) if a < end and start < b)


def verbatim(proposal: Proposal, seen: Seen) -> bool:
    """True where a proposal's text stands word for word in the sentences of its quote."""
    return folded(proposal.text) in folded(around(proposal.quote, seen.turn))
