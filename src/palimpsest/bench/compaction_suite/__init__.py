"""The built-in compaction suite ``compaction-8``: one request and its probes, stored as JSON.

The stored files are what a run reads and have the shape that a user's own files have; a test
holds them equal to their generator, and ``make goldens`` rewrites them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from importlib import resources
from typing import Any

from palimpsest.bench.compaction_suite import made

NAME = "compaction-8"
GENERATORS: Mapping[str, Callable[[], Any]] = {"request": made.request, "probes": made.probes}


def stored(part: str) -> str:
    """The text of the stored file of ``request`` or ``probes``."""
    return (resources.files(__name__) / f"{part}.json").read_text(encoding="utf-8")


def generated(part: str) -> str:
    """The text that the generator writes."""
    return json.dumps(GENERATORS[part](), indent=1, ensure_ascii=False) + "\n"


def load(part: str) -> Any:
    """The stored data."""
    return json.loads(stored(part))
