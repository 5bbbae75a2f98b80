"""The built-in suites: written by generators, stored as JSON beside them.

A run reads the stored files, so what is benchmarked is what a reader can open; a test
holds each file equal to its generator, and ``python -m palimpsest.bench.builtin`` rewrites
them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from importlib import resources
from typing import Any

from palimpsest.bench import generated as seeded
from palimpsest.bench import suite as suites
from palimpsest.bench.builtin import atelier, edges, travel
from palimpsest.bench.suite import Suite

GENERATORS: Mapping[str, Callable[[], dict[str, Any]]] = {
    "travel-50": travel.suite,
    "edges": edges.suite,
    "atelier-60": atelier.suite,
}
SEEDED: Mapping[str, Callable[[], dict[str, Any]]] = {
    "generated-6": lambda: seeded.talk(seed=6, name="generated-6"),
    "generated-6b": lambda: seeded.talk(seed=61, name="generated-6b", family="second"),
    "generated-320": lambda: seeded.many(seed=320, facts=320, name="generated-320"),
}
"""Written from a seed. They run only where they are named: they measure extractors and recall,
and in the run that the gate repeats they would cost more time than all the others together."""


def names() -> tuple[str, ...]:
    """The names of the built-in suites that run by default, in their order."""
    return tuple(GENERATORS)


def known() -> tuple[str, ...]:
    """The names of all built-in suites, those that run only where they are named last."""
    return (*GENERATORS, *SEEDED)


def load(name: str) -> Suite:
    """Read a built-in suite from its stored file."""
    return suites.read(stored(name), where=f"the built-in suite {name}", name=name)


def stored(name: str) -> str:
    """The text of the stored file of a suite."""
    return (resources.files(__name__) / f"{name}.json").read_text(encoding="utf-8")


def generated(name: str) -> str:
    """The text that the generator writes for a suite."""
    return json.dumps({**GENERATORS, **SEEDED}[name](), indent=1, ensure_ascii=False) + "\n"
