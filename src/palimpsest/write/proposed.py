"""A proposal that waits for a person, as it is kept, and the traits of the memory it becomes.

Invariant: what is read back is what was written, but for the place of its quote and its targets,
which accepting it does not need.
"""

from __future__ import annotations

import dataclasses
import json

from palimpsest.proposals import Proposal, Quote
from palimpsest.types import Traits, canonical

_NOWHERE = Quote(message=-1, text=0, start=0, end=0)
_LEFT_OUT = ("quote", "targets")


def written(proposal: Proposal) -> str:
    """A proposal as JSON."""
    kept = {
        field.name: getattr(proposal, field.name)
        for field in dataclasses.fields(proposal)
        if field.name not in _LEFT_OUT
    }
    return canonical({"proposal": kept})


def read(text: str) -> Proposal:
    """The proposal that ``written`` gave."""
    return Proposal(**json.loads(text)["proposal"], quote=_NOWHERE)


def traits(proposal: Proposal, *, trusted: bool) -> Traits:
    """What a memory is beside its words; the attribute of an untrusted extractor is a guess."""
    return Traits(
        kind=proposal.kind, reach=proposal.reach, hedged=proposal.hedged,
        guessed=proposal.attribute is not None and not trusted, confidence=proposal.confidence,
        valid_from=proposal.valid_from, valid_until=proposal.valid_until,
    )  # fmt: skip
