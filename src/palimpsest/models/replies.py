"""Reads the fields of a server's reply; a missing or mistyped one is a ModelError.

Texts and calls are kept as they came. An empty text is kept too: an answer that says
nothing is a result, and only a reply without the place for an answer is an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from palimpsest.errors import ModelError
from palimpsest.types import canonical


def part(data: Mapping[str, Any], key: str, title: str) -> Mapping[str, Any]:
    """The object under a key."""
    found = data.get(key)
    if not isinstance(found, Mapping):
        raise ModelError(f"{title}: the reply has no {key!r} object; its keys: {_keys(data)}")
    return found


def text(message: Mapping[str, Any], title: str) -> str:
    """The text of an assistant message; ``null`` and a missing one are empty."""
    found = message.get("content")
    if found is None:
        return ""
    if not isinstance(found, str):
        raise ModelError(f"{title}: the reply's content is {type(found).__name__}, not a text")
    return found


def tool_calls(message: Mapping[str, Any], title: str) -> tuple[str, ...]:
    """The tool calls as canonical JSON."""
    found = message.get("tool_calls") or []
    if not isinstance(found, list) or not all(isinstance(call, Mapping) for call in found):
        raise ModelError(f"{title}: the reply's tool_calls is not a list of calls")
    return tuple(canonical(call) for call in found)


def count(data: Mapping[str, Any], key: str) -> int | None:
    """A token count, where the server gives one."""
    found = data.get(key)
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def _keys(data: Mapping[str, Any]) -> str:
    return ", ".join(sorted(data)) or "none"
