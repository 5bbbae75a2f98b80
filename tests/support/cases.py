"""Small case sets as plain data."""

from __future__ import annotations

import json
from typing import Any

from palimpsest.bench import cases
from palimpsest.bench.case_checks import Recorded
from palimpsest.bench.cases import CaseSet


def case(id: str = "one", split: str = "dev", **changed: Any) -> dict[str, Any]:
    """One case in the published shape, with a decision that was replaced."""
    made = {
        "id": id, "split": split, "kind": "corrected", "instructions": "Be brief.",
        "current": "Which glue holds the frame?",
        "history": [
            {"user": "We chose bone glue for the frame.", "assistant": "Bone glue."},
            {"user": "Take fish glue instead.", "assistant": "Fish glue."},
            {"user": "Rain again.", "assistant": "Yes."},
        ],
        "budget": {"context_limit": 60, "max_new_tokens": 10, "margin": 5},
        "required": ["Take fish glue instead"], "stale": ["We chose bone glue"],
    }  # fmt: skip
    return {**made, **changed}


def read(data: Any, recorded: Recorded | None = None) -> CaseSet:
    """Load data as if it stood in a file."""
    return cases.read(json.dumps(data), where="set.json", name="set", recorded=recorded)
