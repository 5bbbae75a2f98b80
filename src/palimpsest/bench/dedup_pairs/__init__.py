"""Labelled pairs of statements: one memory, or two; hand-written, with a held-out half.

``dev.tsv`` was tuned on; ``held_out.tsv`` was written and committed before any tuning and is
only ever measured. Invariant: every pair is of one half, and its label is "same" or "other".
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from typing import Literal

Half = Literal["dev", "held_out"]
HALVES: tuple[Half, ...] = ("dev", "held_out")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two statements, and whether they are one memory."""

    half: Half
    same: bool
    language: str
    kind: str
    """Of one memory: exact, permuted or reworded; of two: what tells them apart."""
    a: str
    b: str


def pairs(*halves: Half) -> tuple[Pair, ...]:
    """The pairs of some halves, all of them where none is named."""
    return tuple(pair for half in halves or HALVES for pair in _read(half))


def _read(half: Half) -> list[Pair]:
    text = (resources.files(__name__) / f"{half}.tsv").read_text(encoding="utf-8")
    found = []
    for line in text.splitlines():
        label, language, kind, a, b = line.split("\t")
        found.append(Pair(half=half, same=label == "same", language=language, kind=kind, a=a, b=b))
    return found
