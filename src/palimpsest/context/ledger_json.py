"""A ledger as JSON and back. It holds no texts, so it may be kept.

Memories that are columns stay columns: a ledger over 100,000 memories is its runs, not
their entries.
"""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from pydantic import TypeAdapter

from palimpsest.ledger import Ledger
from palimpsest.memory_runs import MemoryRuns, from_columns
from palimpsest.types import canonical

_ADAPTER = TypeAdapter(Ledger)
_RUNS = "memory_runs"


def dumps(ledger: Ledger) -> str:
    """The ledger as JSON text; fields at their defaults are left out."""
    memories = ledger.memories
    if not isinstance(memories, MemoryRuns):
        return _ADAPTER.dump_json(ledger, exclude_defaults=True).decode()
    bare = dataclasses.replace(ledger, memories=())
    found: dict[str, Any] = _ADAPTER.dump_python(bare, mode="json", exclude_defaults=True)
    return canonical(found | {_RUNS: memories.columns()})


def loads(text: str) -> Ledger:
    """Read what ``dumps`` wrote."""
    found = json.loads(text)
    runs = found.pop(_RUNS, None)
    ledger = _ADAPTER.validate_python(found, strict=False)
    memories = tuple(ledger.memories) if runs is None else from_columns(runs)
    return dataclasses.replace(ledger, memories=memories)
