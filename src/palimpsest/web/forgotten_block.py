"""What became of the forgotten facts of a suite later: strategies down, moments across.

Invariant: a moment that does not apply has a sign of its own, and is never a moment without a
leak; a report in which nothing was looked for says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from palimpsest.bench.forgotten_stages import STAGES, WORDS

Outcome = Literal["sent", "not sent", "does not apply"]
SIGNS: Mapping[Outcome, str] = {"sent": "✖", "not sent": "·", "does not apply": "–"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """One strategy at one moment."""

    name: str
    outcome: Outcome
    facts: tuple[str, ...] = ()
    """What it sends."""

    @property
    def sign(self) -> str:
        """The sign of its outcome."""
        return SIGNS[self.outcome]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One strategy over all moments."""

    strategy: str
    bound: bool
    """A forgotten fact in a request of its own is a fault; the others are the contrast."""
    moments: tuple[Moment, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgottenBlock:
    """All strategies of one suite; without facts the suite forgets none that it lists."""

    moments: tuple[str, ...]
    facts: tuple[str, ...]
    rows: tuple[Row, ...]


def forgotten_block(report: Mapping[str, Any]) -> ForgottenBlock | None:
    """The block of a report, or ``None`` where nothing was looked for."""
    after = report.get("forgotten_after")
    if after is None:
        return None
    return ForgottenBlock(
        moments=tuple(WORDS[stage] for stage in STAGES),
        facts=tuple(after["facts"]),
        rows=tuple(_row(key, found) for key, found in after["strategies"].items()),
    )


def _row(strategy: str, found: Mapping[str, Any]) -> Row:
    moments = []
    for stage in STAGES:
        sent = found[stage.replace(" ", "_")]
        outcome: Outcome = "does not apply" if sent is None else "sent" if sent else "not sent"
        moments.append(Moment(name=WORDS[stage], outcome=outcome, facts=tuple(sent or ())))
    return Row(strategy=strategy, bound=found["bound"], moments=tuple(moments))
