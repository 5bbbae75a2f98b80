"""A copy must not say the contrary of the words it quotes: "doesn't like X" is no "likes X".

The whole sentences around the quote are read, since a quote that begins behind "I never said
that" says the contrary too. Invariant: what resembles no clause of the source is not judged.
"""

from __future__ import annotations

from palimpsest.language.polarity import flipped
from palimpsest.proposals import Proposal, Seen
from palimpsest.write.filters.quoted import around


def negation(proposal: Proposal, seen: Seen) -> str | None:
    """``negation-flipped`` where a clause of the text contradicts its source."""
    if proposal.op == "forget":
        return None
    source = around(proposal.quote, seen.turn)
    return "negation-flipped" if flipped(source, proposal.text) else None
