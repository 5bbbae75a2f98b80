"""Sessions of Claude's design projects: messages whose content is a message again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from palimpsest.importers.blocks import messages_of
from palimpsest.importers.gathering import Gathering, name_of
from palimpsest.importers.records import Talk
from palimpsest.importers.shapes import record, records, rows, word
from palimpsest.importers.times import time_of
from palimpsest.types import Role

_ROLES: Mapping[str, Role] = {"user": "user", "human": "user", "assistant": "assistant"}


def fits(document: Mapping[str, Any]) -> bool:
    """True for one session."""
    first = record([*rows(document.get("messages")), None][0])
    return isinstance(document.get("project"), Mapping) and isinstance(
        first.get("content"), Mapping
    )


def talk(document: Mapping[str, Any], where: str) -> Talk:
    """One session."""
    gathering = Gathering(where)
    for number, each in enumerate(records(document.get("messages"))):
        place = f"{where} messages[{number}]"
        inner = record(each.get("content"))
        role = _ROLES.get(word(each.get("role")))
        found = () if role is None else messages_of(role, inner.get("content"), gathering, place)
        if not found:
            gathering.leave(place, "empty" if role else "unknown-role")
        time = time_of(inner.get("timestamp")) or time_of(each.get("created_at"))
        gathering.follow(found, time=time, where=place)
    return gathering.talk(name_of(document.get("uuid")), title=document.get("name"))
