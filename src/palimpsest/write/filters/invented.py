"""A proposal holds no number, date, name or identifier that the user's turn does not hold.

A value that is given beside the text is not looked at: it says exactly what the words do not show.
Invariant: earlier turns and memories are no evidence, so a "she" that was made a name is refused
rather than believed.
"""

from __future__ import annotations

from palimpsest.language.added_carriers import added_carriers
from palimpsest.proposals import Proposal, Seen
from palimpsest.write.filters.quoted import verbatim


def invented(proposal: Proposal, seen: Seen) -> str | None:
    """``invented`` where the text holds a carrier that was not said."""
    if proposal.op == "forget" or verbatim(proposal, seen):
        return None
    added = added_carriers(proposal.text, seen.turn.user, seen.said_at)
    return "invented" if added else None
