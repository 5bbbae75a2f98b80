"""The built-in case sets: written by generators, stored as JSON beside them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from importlib import resources
from typing import Any

from palimpsest.bench import cases
from palimpsest.bench.builtin import selection
from palimpsest.bench.case_checks import Recorded
from palimpsest.bench.cases import CaseSet

GENERATORS: Mapping[str, Callable[[], dict[str, Any]]] = {"selection-12": selection.case_set}


def names() -> tuple[str, ...]:
    """The names of the built-in case sets."""
    return tuple(GENERATORS)


def load(name: str, recorded: Recorded | None = None) -> CaseSet:
    """Read a built-in case set from its stored file."""
    where = f"the built-in case set {name}"
    return cases.read(stored(name), where=where, name=name, recorded=recorded)


def stored(name: str) -> str:
    """The text of the stored file of a case set."""
    place = resources.files("palimpsest.bench.builtin") / f"{name}.json"
    return place.read_text(encoding="utf-8")


def generated(name: str) -> str:
    """The text that the generator writes for a case set."""
    return json.dumps(GENERATORS[name](), indent=1, ensure_ascii=False) + "\n"
