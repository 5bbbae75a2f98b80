"""What becomes of a proposal: one verdict, by a named rule.

Invariant: a pure function, and whatever is in doubt adds a row or waits for a person; only a
correction, or an attribute that was given and not guessed, replaces anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from palimpsest.proposals import Action, Proposal
from palimpsest.types import Memory
from palimpsest.write import describing

Rule = Literal[
    "new", "exact", "similar", "correction", "newer-statement", "undecided-conflict",
    "forget-request", "ambiguous-forget", "ambiguous-correction", "nothing-to-forget", "low-trust",
    "forget-value", "unresolved-forget", "whole-forget", "no-quote", "forgotten", "not-about-the-user", "negation-flipped", "assistant-attitude",
    "instruction", "recalled-text", "invented",
]  # fmt: skip
"""Every rule that can decide; the last eight reject. See docs/reflection.md."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Near:
    """The current memory that says nearly the same, and how nearly."""

    memory: Memory
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What is to be done; ``rows`` are the memories that it is done to, oldest first."""

    action: Action
    rule: str
    rows: tuple[Memory, ...] = ()
    score: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """How far an extractor is believed."""

    trusted: bool
    """Its attributes are given."""
    waits: bool
    """What it proposes waits for a person first."""


def decide(
    proposal: Proposal,
    known: Sequence[Memory],
    near: Near | None,
    *,
    rejected: str | None,
    trust: Trust,
) -> Decision:
    """The decision on one proposal; ``known`` are the current memories, oldest first."""
    if rejected is not None:
        return Decision(action="reject", rule=rejected)
    meant = _meant(proposal, known)
    if proposal.op == "forget":
        return _forget(proposal, meant)
    if trust.waits and not trust.trusted:
        return Decision(action="review", rule="low-trust")
    if proposal.op == "correct" and (found := _correction(proposal, meant, near)):
        return found
    if near is not None:
        rule = "exact" if near.score >= 1.0 and _same(near.memory, proposal) else "similar"
        return Decision(action="merge", rule=rule, rows=(near.memory,), score=near.score)
    if rivals := _rivals(proposal, known):
        if trust.trusted and not any(row.guessed for row in rivals):
            return Decision(action="supersede", rule="newer-statement", rows=rivals)
        return Decision(action="review", rule="undecided-conflict", rows=rivals)
    return Decision(action="add", rule="new")


def _meant(proposal: Proposal, known: Sequence[Memory]) -> tuple[Memory, ...]:
    """The memories that a correction or a forget is about, oldest first."""
    if proposal.targets:
        return tuple(row for row in known if row.id in proposal.targets)
    return _rivals(proposal, known)


def _rivals(proposal: Proposal, known: Sequence[Memory]) -> tuple[Memory, ...]:
    if proposal.attribute is None:
        return ()
    return tuple(row for row in known if row.attribute == proposal.attribute)


def _one_thing(rows: Sequence[Memory]) -> bool:
    """True where the rows are one memory, or several statements under one attribute."""
    attributes = {row.attribute for row in rows}
    return len(rows) == 1 or (len(attributes) == 1 and None not in attributes)


def _forget(proposal: Proposal, meant: tuple[Memory, ...]) -> Decision:
    if not proposal.targets and describing.means_everything(proposal.text):
        return Decision(action="review", rule="whole-forget")
    if not meant:
        return _unmet(proposal)
    if proposal.asks or (not _one_thing(meant) and not proposal.wide):
        return Decision(action="review", rule="ambiguous-forget", rows=meant)
    return Decision(action="forget", rule="forget-request", rows=meant)


def _unmet(proposal: Proposal) -> Decision:
    """A request to forget for which no memory is found is never dropped in silence.

    What it states goes from what was said; where it only describes, a person is asked. Only one
    that names a row or an attribute which is not there is done with.
    """
    if proposal.targets or proposal.attribute is not None:
        return Decision(action="reject", rule="nothing-to-forget")
    if proposal.value:
        return Decision(action="forget", rule="forget-value")
    return Decision(action="review", rule="unresolved-forget")


def _correction(
    proposal: Proposal, meant: tuple[Memory, ...], near: Near | None
) -> Decision | None:
    """A correction of nothing is a statement; one that repeats what is current is too."""
    if not meant:
        return None
    if near is not None and near.score >= 1.0 and near.memory in meant and len(meant) == 1:
        return None
    if not _one_thing(meant):
        return Decision(action="review", rule="ambiguous-correction", rows=meant)
    return Decision(action="supersede", rule="correction", rows=meant)


def _same(memory: Memory, proposal: Proposal) -> bool:
    return memory.text.strip() == proposal.text.strip()
