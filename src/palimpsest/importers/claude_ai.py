"""The export of Claude.ai: ``chat_messages`` with a sender, blocks and, where edited, parents.

The blocks are read before ``text``, which repeats placeholders of tools. Invariant: texts of
attachments are files, not what the user said.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from palimpsest.importers.blocks import messages_of
from palimpsest.importers.gathering import Gathering, name_of
from palimpsest.importers.records import Talk
from palimpsest.importers.shapes import records, rows, word
from palimpsest.importers.times import time_of
from palimpsest.types import Message, Role

_ROLES: Mapping[str, Role] = {"human": "user", "user": "user", "assistant": "assistant"}
_NO_PARENT = "00000000-0000-4000-8000-000000000000"
_KNOWN = frozenset({"text", "thinking", "redacted_thinking", "tool_use", "tool_result", "image"})


def fits(document: Mapping[str, Any]) -> bool:
    """True for one conversation of this format."""
    return isinstance(document.get("chat_messages"), list)


def talk(document: Mapping[str, Any], where: str) -> Talk:
    """One conversation; without parents each message follows the one before it."""
    gathering = Gathering(where)
    id = name_of(document.get("uuid"))
    given = records(document.get("chat_messages"))
    tree = any(name_of(each.get("parent_message_uuid")) for each in given)
    last: str | None = None
    for number, each in enumerate(given):
        place = f"{where} {id}/{name_of(each.get('uuid')) or number}"
        parent = name_of(each.get("parent_message_uuid")) if tree else last
        last = gathering.add(
            each.get("uuid"), None if parent == _NO_PARENT else parent,
            _messages(each, gathering, place), time=time_of(each.get("created_at")), where=place,
        )  # fmt: skip
    tip = name_of(document.get("current_leaf_message_uuid")) or last
    return gathering.talk(
        id, title=document.get("name") or document.get("title"), tip=tip,
        began=time_of(document.get("created_at")),
    )  # fmt: skip


def _messages(each: Mapping[str, Any], gathering: Gathering, where: str) -> tuple[Message, ...]:
    for _ in (*rows(each.get("attachments")), *rows(each.get("files"))):
        gathering.leave(where, "attachment")
    role = _ROLES.get(word(each.get("sender")))
    if role is None:
        gathering.leave(where, "unknown-role")
        return ()
    content = each.get("content")
    blocks = records(content)
    found = messages_of(role, content, gathering, where) if blocks else ()
    # Blocks that are known and hold no words leave a text that only says so.
    if not found and not any(word(block.get("type")) in _KNOWN - {"text"} for block in blocks):
        found = gathering.words(role, each.get("text"), where)
    if not found and not blocks:
        gathering.leave(where, "empty")
    return found
