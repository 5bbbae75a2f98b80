"""What stands where in a document that anybody may have written: the value, or nothing.

Invariant: any JSON goes in and no error comes out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

NOTHING: Mapping[str, Any] = {}


def record(value: object) -> Mapping[str, Any]:
    """The object, or an empty one."""
    return value if isinstance(value, Mapping) else NOTHING


def rows(value: object) -> Sequence[Any]:
    """The array, or an empty one."""
    return value if isinstance(value, list) else ()


def records(value: object) -> Sequence[Mapping[str, Any]]:
    """The objects of an array; what is none becomes an empty one, so places stay."""
    return [record(item) for item in rows(value)]


def word(value: object) -> str:
    """The text, or an empty one."""
    return value if isinstance(value, str) else ""


def written(value: object) -> str:
    """Any JSON as a text; a text as it is."""
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False)
    except (ValueError, RecursionError):
        return ""
