"""An extractor that proposes what a test tells it to, each turn as a whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from palimpsest.config import Config
from palimpsest.proposals import Extraction, Proposal, Quote, Seen, Usage


@dataclass
class Proposing:
    """Proposes the user's words of a turn, with the fields that ``plan`` has for it."""

    plan: Mapping[int, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    trusted: bool = False
    name: str = "proposing"
    before: Callable[[Seen], None] = lambda seen: None
    """Called with what it sees before it proposes."""
    fails: Exception | None = None
    usage: Usage = field(default_factory=Usage)

    def extract(self, seen: Seen, config: Config) -> Extraction:
        self.before(seen)
        if self.fails is not None:
            raise self.fails
        plans = self.plan.get(seen.turn.number, [{}])
        return Extraction(
            proposals=tuple(_proposal(seen, plan) for plan in plans), usage=self.usage
        )


def _proposal(seen: Seen, plan: Mapping[str, Any]) -> Proposal:
    text = plan.get("text", seen.turn.user)
    start = max(0, seen.turn.user.find(text))
    quote = Quote(message=0, text=0, start=start, end=start + len(text))
    given = {"text": text, "quote": quote, **{k: v for k, v in plan.items() if k != "text"}}
    return Proposal(**given)
