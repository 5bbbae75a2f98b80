"""What a check against a baseline found, the worst first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from palimpsest.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One finding."""

    kind: str
    blocks: bool
    suite: str
    strategy: str
    after: int | None
    variant: str
    text: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """The outcome of ``bench check``."""

    verdict: str
    cases: int
    refusals: tuple[str, ...]
    notes: tuple[str, ...]
    differences: tuple[Difference, ...]


def compared(data: Mapping[str, Any], where: str) -> Compared:
    """The context of a JSON file of ``bench check``; raises InputError for anything else."""
    try:
        return Compared(
            verdict=data["verdict"], cases=data["cases"], refusals=tuple(data["refusals"]),
            notes=tuple(data["notes"]),
            differences=tuple(
                Difference(
                    kind=found["kind"], blocks=found["blocks"], text=found["text"],
                    why=found["why"], suite=found["suite"], strategy=found["strategy"],
                    after=found["after"], variant=found["variant"] or "",
                )
                for found in data["findings"]
            ),
        )  # fmt: skip
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"{where}: is no outcome of 'palimpsest bench check --json' ({error})"
        ) from None
