"""The filters: what must not become a memory, each a pure function with one verdict.

A filter takes a proposal and what its extractor saw, and returns the rule that rejects it or
``None``. Invariant: the first filter that rejects decides; none reads or writes anything.
"""

from __future__ import annotations

from palimpsest.proposals import Proposal, Seen
from palimpsest.write.filters.quoted import quoted

FILTERS = (quoted,)
"""In the order in which they are asked."""


def rejected(proposal: Proposal, seen: Seen) -> str | None:
    """The rule that rejects a proposal; ``None`` where none does."""
    return next((rule for check in FILTERS if (rule := check(proposal, seen))), None)
