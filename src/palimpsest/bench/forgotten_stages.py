"""What became of the facts that a suite forgets, stage by stage; see ``forgotten_after``.

Invariant: a stage that does not apply to a strategy is not a stage without a leak.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

Stage = Literal["checkpoints", "consolidated", "restarted", "read again", "moved"]
STAGES: tuple[Stage, ...] = get_args(Stage)
WORDS: Mapping[Stage, str] = {
    "checkpoints": "at a later checkpoint",
    "consolidated": "after consolidation",
    "restarted": "after the store was closed and opened",
    "read again": "after the whole transcript was read again",
    "moved": "after an export was imported into another store",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """A forgotten fact in a request, and the moment that it belongs to."""

    fact: str
    stage: Stage
    after: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """One strategy over all stages."""

    key: str
    bound: bool
    """Law 11 binds it; else it is a baseline, and what it sends is the contrast."""
    looked: tuple[Stage, ...]
    """The stages that apply to it: a store that applies nothing is neither consolidated nor read."""
    sent: tuple[Sent, ...]

    def facts(self, stage: Stage) -> tuple[str, ...] | None:
        """The forgotten facts that it sends at a stage; ``None`` where the stage does not apply."""
        if stage not in self.looked:
            return None
        return tuple(dict.fromkeys(one.fact for one in self.sent if one.stage == stage))


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgottenAfter:
    """What became of the forgotten facts of a suite; without any there is nothing to say."""

    facts: tuple[str, ...] = ()
    strategies: tuple[Kept, ...] = ()

    @property
    def leaks(self) -> Iterator[tuple[Kept, Sent]]:
        """Every fact that a bound strategy sends."""
        return ((one, sent) for one in self.strategies if one.bound for sent in one.sent)


def as_json(found: ForgottenAfter) -> dict[str, Any]:
    """The facts, and for each strategy and stage those that it sends; null: it does not apply."""
    return {
        "facts": list(found.facts),
        "strategies": {
            one.key: {
                "bound": one.bound,
                **{
                    stage.replace(" ", "_"): None if sent is None else list(sent)
                    for stage, sent in ((stage, one.facts(stage)) for stage in STAGES)
                },
            }
            for one in found.strategies
        },
    }
