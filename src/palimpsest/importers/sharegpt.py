"""ShareGPT: ``conversations`` of ``from`` and ``value``, in one array or one a line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from palimpsest.importers.gathering import Gathering, name_of
from palimpsest.importers.records import Talk
from palimpsest.importers.shapes import record, records, word
from palimpsest.importers.times import time_of
from palimpsest.types import Role

_ROLES: Mapping[str, Role] = {
    "human": "user", "user": "user", "gpt": "assistant", "assistant": "assistant",
    "chatgpt": "assistant", "model": "assistant", "bing": "assistant", "bard": "assistant",
}  # fmt: skip
_TOOLS = frozenset({"tool", "function", "function_call", "function_response", "observation"})


def fits(document: Mapping[str, Any]) -> bool:
    """True for an object with conversations of ``from`` and ``value``."""
    given = document.get("conversations")
    return bool(isinstance(given, list) and given and {"from", "value"} <= record(given[0]).keys())


def talk(document: Mapping[str, Any], where: str) -> Talk:
    """One conversation."""
    gathering = Gathering(where)
    for number, each in enumerate(records(document.get("conversations"))):
        place = f"{where} conversations[{number}]"
        speaker = word(each.get("from")).strip().lower()
        role = _ROLES.get(speaker)
        if role is None:
            tool = "tool" if speaker in _TOOLS else "unknown-role"
            gathering.leave(place, "system" if speaker == "system" else tool)
            continue
        found = gathering.words(role, each.get("value"), place)
        if not found:
            gathering.leave(place, "empty")
        gathering.follow(found, time=time_of(each.get("timestamp")), where=place)
    return gathering.talk(name_of(document.get("id")), title=document.get("title"))
