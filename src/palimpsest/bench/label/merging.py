"""Lays new proposals over a suite that a person has corrected, and loses no correction.

What was proposed last is remembered by hash, part by part; a part that a person changed, took
away or added stays as it is. Invariant: merging the same proposal twice changes nothing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from palimpsest.bench.label.suite_data import parts_of, whole_of

_GONE = "gone"
"""The hash of a part that is not there, so that a part taken away is a correction too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """The suite, and which parts of it are a person's."""

    data: dict[str, Any]
    kept: tuple[str, ...]


def hashes_of(data: Mapping[str, Any]) -> dict[str, str]:
    """Every part of a suite by its hash."""
    return {key: _hash(value) for key, value in parts_of(data).items()}


def merged(
    proposed: Mapping[str, Any], corrected: Mapping[str, Any], before: Mapping[str, str]
) -> Merged:
    """``corrected`` is what the file holds, ``before`` the hashes of what was proposed for it."""
    new, held = parts_of(proposed), parts_of(corrected)
    made: dict[str, Any] = {}
    kept: list[str] = []
    for key in dict.fromkeys((*new, *held)):
        there = _hash(held[key]) if key in held else _GONE
        if there != before.get(key, _GONE):
            kept.append(key)
            if key in held:
                made[key] = held[key]
        elif key in new:
            made[key] = new[key]
    return Merged(data=whole_of(made), kept=tuple(kept))


def _hash(value: Any) -> str:
    told = json.dumps(value, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(told.encode()).hexdigest()[:16]
