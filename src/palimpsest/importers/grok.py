"""The export of Grok: ``conversations``, each with its head and its ``responses``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from palimpsest.importers.gathering import Gathering, name_of
from palimpsest.importers.records import Talk
from palimpsest.importers.shapes import record, records, rows, word
from palimpsest.importers.times import time_of
from palimpsest.types import Role

_ROLES: Mapping[str, Role] = {"human": "user", "user": "user", "assistant": "assistant"}


def fits(document: Mapping[str, Any]) -> bool:
    """True for one conversation with its responses."""
    return isinstance(document.get("responses"), list) and "conversation" in document


def talk(document: Mapping[str, Any], where: str) -> Talk:
    """One conversation; where responses name their parents it is a tree."""
    gathering = Gathering(where)
    head = record(document.get("conversation"))
    given = [record(each.get("response")) or each for each in records(document.get("responses"))]
    tree = any(name_of(each.get("parent_response_id")) for each in given)
    last: str | None = None
    for number, each in enumerate(given):
        id = name_of(each.get("_id")) or name_of(each.get("response_id")) or f"{number}"
        place = f"{where} responses[{number}]"
        role = _ROLES.get(word(each.get("sender")).lower())
        for _ in rows(each.get("file_attachments")):
            gathering.leave(place, "attachment")
        found = () if role is None else gathering.words(role, each.get("message"), place)
        if not found:
            gathering.leave(place, "empty" if role else "unknown-role")
        parent = name_of(each.get("parent_response_id")) if tree else last
        last = gathering.add(id, parent, found, time=time_of(each.get("create_time")), where=place)
    return gathering.talk(
        name_of(head.get("id")), title=head.get("title"), tip=last,
        began=time_of(head.get("create_time")),
    )  # fmt: skip
