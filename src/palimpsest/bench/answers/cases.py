"""What an answer is graded by: one case, its facts, and which of them replaced which.

A case is a checkpoint of a suite, a case of a case set, or an entry of a key file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from palimpsest.bench import life
from palimpsest.bench.cases import Case, CaseSet
from palimpsest.bench.suite import Checkpoint, Suite


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerCase:
    """The facts of one case, as its suite lists them."""

    id: str
    required: tuple[str, ...]
    stale: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    replaced_by: Mapping[str, str] = field(default_factory=dict)
    """Stale fact to the required fact that took its place, where that is known."""

    @property
    def facts(self) -> tuple[str, ...]:
        """Every fact of the case."""
        return self.required + self.stale + self.deleted


def id_of(after: int) -> str:
    """The name of the case at a checkpoint."""
    return f"turn {after}"


def of_suite(suite: Suite) -> dict[str, AnswerCase]:
    """The cases of a suite by name, one a checkpoint."""
    return {id_of(point.after): _of_point(suite, point) for point in suite.checkpoints}


def _of_point(suite: Suite, point: Checkpoint) -> AnswerCase:
    current = {
        attribute: fact
        for fact in point.required
        if (attribute := life.attribute_of(suite, fact)) is not None
    }
    owners = {fact: life.attribute_of(suite, fact) for fact in point.stale}
    return AnswerCase(
        id=id_of(point.after),
        required=point.required,
        stale=point.stale,
        deleted=point.deleted,
        replaced_by={
            fact: current[owner] for fact, owner in owners.items() if owner and owner in current
        },
    )


def of_set(found: CaseSet) -> dict[str, AnswerCase]:
    """The cases of a case set by their names."""
    return {case.id: _of_case(case) for case in found.cases}


def _of_case(case: Case) -> AnswerCase:
    # One replaced and one current fact belong together; of more nobody says which to which.
    only = len(case.required) == len(case.stale) == 1
    return AnswerCase(
        id=case.id,
        required=case.required,
        stale=case.stale,
        replaced_by={case.stale[0]: case.required[0]} if only else {},
    )
