"""Which items and namespaces an operation of LangGraph's store means: pure comparisons.

The rules are those of LangGraph's own stores. A value that has no order (a text, nothing) is
neither above nor below a number, where the store in memory fails.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from palimpsest.errors import InputError

_ORDERS: Mapping[str, Callable[[float, float], bool]] = {
    "$gt": operator.gt, "$gte": operator.ge, "$lt": operator.lt, "$lte": operator.le,
}  # fmt: skip


def filtered(value: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Whether an item's value has everything that a filter asks for."""
    return all(_holds(value.get(key), asked) for key, asked in wanted.items())


def _holds(value: Any, asked: Any) -> bool:
    if isinstance(asked, Mapping):
        if any(str(key).startswith("$") for key in asked):
            return all(_compared(value, name, other) for name, other in asked.items())
        return isinstance(value, Mapping) and filtered(value, asked)
    if isinstance(asked, (list, tuple)):
        return (
            isinstance(value, (list, tuple))
            and len(value) == len(asked)
            and all(map(_holds, value, asked))
        )
    return bool(value == asked)


def _compared(value: Any, name: str, other: Any) -> bool:
    if name in ("$eq", "$ne"):
        return bool(value == other) == (name == "$eq")
    if name not in _ORDERS:
        raise InputError(f"filter: {name!r} is no operator; known: $eq, $ne, $gt, $gte, $lt, $lte")
    try:
        return _ORDERS[name](float(value), float(other))
    except (TypeError, ValueError):
        return False


def matches(space: Sequence[str], side: str, path: Sequence[str]) -> bool:
    """Whether a namespace begins or ends with a path, in which ``*`` stands for any label."""
    if len(space) < len(path):
        return False
    part = space[: len(path)] if side == "prefix" else space[len(space) - len(path) :]
    return all(wanted in ("*", label) for label, wanted in zip(part, path, strict=True))
