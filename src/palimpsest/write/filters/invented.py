"""A proposal holds no number, date, name or identifier that the user's turn does not hold.

Its exact value is held to the same. Invariant: earlier turns and memories are no evidence, so a
"she" that was made a name is refused rather than believed.
"""

from __future__ import annotations

from palimpsest.language.added_carriers import added_carriers
from palimpsest.proposals import Proposal, Seen


def invented(proposal: Proposal, seen: Seen) -> str | None:
    """``invented`` where the text or the value holds a carrier that was not said."""
    if proposal.op == "forget":
        return None
    said = seen.turn.user
    texts = (proposal.text, proposal.value or "")
    return "invented" if any(added_carriers(text, said, seen.said_at) for text in texts) else None
