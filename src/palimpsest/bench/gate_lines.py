"""The findings of a check as lines, and its verdict as one sentence.

Changed requests of one strategy are one line, since a new header changes them all; every
other finding has a line of its own. Order is kept: what got worse comes first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from palimpsest.bench.compare import BLOCKING, KINDS, STATUS, Comparison, Finding, Kind
from palimpsest.language.invisible import shown

BLESS = "palimpsest bench bless"
_NAMES: dict[Kind, tuple[str, str]] = {
    "forgotten": ("forgotten fact sent", "forgotten facts sent"),
    "stale": ("replaced fact sent", "replaced facts sent"),
    "lost": ("required fact lost", "required facts lost"),
    "gain": ("gain", "gains"),
    "changed": ("changed request", "changed requests"),
    "storage": ("changed storage figure", "changed storage figures"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class GateLine:
    """One line of the outcome; every text is on one line and shows what is invisible."""

    kind: Kind
    case: str
    text: str
    why: str = ""

    @property
    def blocks(self) -> bool:
        """True for what got worse."""
        return self.kind in BLOCKING


def lines(outcome: Comparison) -> tuple[GateLine, ...]:
    """The findings, the worst first."""
    return tuple(_lines(outcome))


def _lines(outcome: Comparison) -> Iterator[GateLine]:
    changed: dict[tuple[str, str, str], list[Finding]] = {}
    for found in outcome.findings:
        if found.kind == "changed":
            key = (found.suite, found.strategy, found.variant)
            changed.setdefault(key, []).append(found)
    for found in outcome.findings:
        if found.kind != "changed":
            yield _line(found)
            continue
        group = changed.pop((found.suite, found.strategy, found.variant), [])
        if len(group) == 1:
            yield _line(found)
        elif group:
            yield _together(group)


def _line(found: Finding) -> GateLine:
    return GateLine(
        kind=found.kind, case=shown(found.case), text=shown(found.text), why=shown(found.why)
    )


def _together(group: list[Finding]) -> GateLine:
    first = group[0]
    variant = f" ({first.variant})" if first.variant else ""
    turns = ", ".join(str(found.after) for found in group)
    return GateLine(
        kind="changed",
        case=shown(f"{first.suite} {first.strategy} turns {turns}{variant}"),
        text=f"sends {len(group)} other requests",
    )


def counts(outcome: Comparison) -> str:
    """How many findings of each kind there are, in words."""
    numbers = {kind: sum(f.kind == kind for f in outcome.findings) for kind in KINDS}
    told = [f"{n} {_NAMES[kind][n != 1]}" for kind, n in numbers.items() if n]
    return ", ".join(told)


def verdict(outcome: Comparison) -> str:
    """``verdict: WORD (status)`` and what it rests on, as one line."""
    head = f"verdict: {outcome.verdict} ({STATUS[outcome.verdict]})"
    if outcome.verdict == "error":
        return f"{head}, nothing was compared"
    if outcome.verdict == "pass":
        return f"{head}, {len(outcome.cases)} cases are as blessed"
    worse = any(found.blocks for found in outcome.findings)
    end = "" if worse else f"; nothing got worse: review it, then `{BLESS}`"
    return f"{head}, {counts(outcome)}{end}"
