"""What the texts of a case set must hold, so that no labelling error blames a strategy.

A fact that no turn states could never be found; a fact stated twice over, as required and
as stale, could never be told apart. A case keeps the split that it had when results were
recorded: one that moves to the other split, or that comes back there under another id, was
seen before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from palimpsest.bench.case_file import Split
from palimpsest.errors import InputError

if TYPE_CHECKING:
    from palimpsest.bench.cases import Case


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """The splits of a recorded run, for refusing cases that moved."""

    where: str
    """Where the recording stands; it is named in an error."""
    splits: Mapping[str, Split]
    """By case id."""
    digests: Mapping[str, str]
    """The digest of each case's content by case id."""


def check(cases: Sequence[Case], recorded: Recorded | None = None) -> None:
    """Refuse cases that cannot be graded fairly; raises InputError with the path."""
    places: dict[str, int] = {}
    for i, case in enumerate(cases):
        path = f"cases[{i}]"
        if case.id != case.id.strip():
            raise InputError(f"{path}.id: {case.id!r} begins or ends with a blank")
        if case.id in places:
            raise InputError(
                f"{path}.id: {case.id!r} is already the id of cases[{places[case.id]}]"
            )
        places[case.id] = i
        _check_facts(case, path)
        if recorded is not None:
            _check_split(case, path, recorded)


def _check_facts(case: Case, path: str) -> None:
    if not case.required:
        raise InputError(f"{path}.required: is empty; case {case.id!r} needs at least one fact")
    said = [text for turn in case.turns for item in turn.messages for text in item.texts()]
    listed: dict[str, str] = {}
    for kind in ("required", "stale"):
        for i, fact in enumerate(getattr(case, kind)):
            where = f"{path}.{kind}[{i}]"
            if not fact.strip():
                raise InputError(f"{where}: a blank text stands in every request")
            if fact in listed:
                raise InputError(f"{where}: {fact!r} is already in {listed[fact]}")
            if not any(fact in text for text in said):
                raise InputError(
                    f"{where}: {fact!r} is not said in the history of case {case.id!r}; list the "
                    "exact words of one turn"
                )
            listed[fact] = f"{kind}[{i}]"
    for i, fact in enumerate(case.stale):
        inside = next((other for other in case.required if fact in other), None)
        if inside is not None:
            raise InputError(
                f"{path}.stale[{i}]: {fact!r} stands inside the required {inside!r}, so whoever "
                "finds the one sends the other; list it with the words that follow or precede it"
            )


def _check_split(case: Case, path: str, recorded: Recorded) -> None:
    before = recorded.splits.get(case.id)
    twin = next(
        (
            id
            for id, digest in recorded.digests.items()
            if id != case.id and digest == case.digest and recorded.splits[id] != case.split
        ),
        None,
    )
    if before is not None and before != case.split:
        raise InputError(
            f"{path}.split: case {case.id!r} is {case.split!r} here and was {before!r} in "
            f"{recorded.where}; a case keeps its split once its results were seen. Give it back, "
            "or write a new case"
        )
    if before is None and twin is not None:
        raise InputError(
            f"{path}.split: case {case.id!r} is {case.split!r} here and has the content of "
            f"{twin!r}, which was {recorded.splits[twin]!r} in {recorded.where}; a case keeps its "
            "split once its results were seen. Write a new case"
        )
