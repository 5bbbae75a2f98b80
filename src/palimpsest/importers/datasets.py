"""WildChat and LMSYS-Chat: one conversation a line, with a hash or an id, in lists of messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from palimpsest.importers.gathering import Gathering, name_of
from palimpsest.importers.records import Talk
from palimpsest.importers.shapes import record, records, word
from palimpsest.importers.times import time_of
from palimpsest.types import Role

_ROLES: Mapping[str, Role] = {"user": "user", "assistant": "assistant"}


def is_wildchat(document: Mapping[str, Any]) -> bool:
    """True for a line of WildChat."""
    return "conversation_hash" in document and _talks(document)


def is_lmsys(document: Mapping[str, Any]) -> bool:
    """True for a line of LMSYS-Chat."""
    return "conversation_id" in document and _talks(document)


def _talks(document: Mapping[str, Any]) -> bool:
    given = document.get("conversation")
    return bool(isinstance(given, list) and given and "role" in record(given[0]))


def talk(document: Mapping[str, Any], where: str) -> Talk:
    """One conversation."""
    gathering = Gathering(where)
    for number, each in enumerate(records(document.get("conversation"))):
        place = f"{where} conversation[{number}]"
        role = _ROLES.get(word(each.get("role")))
        if role is None:
            system = each.get("role") == "system"
            gathering.leave(place, "system" if system else "unknown-role")
            continue
        found = gathering.words(role, each.get("content"), place)
        if not found:
            gathering.leave(place, "empty")
        gathering.follow(found, time=time_of(each.get("timestamp")), where=place)
    id = name_of(document.get("conversation_hash")) or name_of(document.get("conversation_id"))
    return gathering.talk(id, began=time_of(document.get("timestamp")))
