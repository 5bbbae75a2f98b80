"""Messages in the shape of OpenAI's chat API: a line is one conversation (also fine-tuning files).

A file that is nothing but messages is one conversation.
Words, names, calls and results are kept as they stand; a system message is no turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from palimpsest.importers.blocks import messages_of
from palimpsest.importers.gathering import Gathering, name_of, whole_text
from palimpsest.importers.records import Left, Talk
from palimpsest.importers.shapes import record, records, rows, word, written
from palimpsest.importers.source import Mode, Source
from palimpsest.importers.times import time_of
from palimpsest.types import Message, Role, ToolCall, canonical

_ROLES: Mapping[str, Role] = {"user": "user", "assistant": "assistant", "tool": "tool"}
_IDS = ("id", "conversation_id", "custom_id")


def fits(document: Mapping[str, Any]) -> bool:
    """True for an object with messages that have roles and contents, or for one message."""
    given = document.get("messages")
    first = record(given[0]) if isinstance(given, list) and given else document
    if isinstance(first.get("content"), Mapping) or not first.keys() & {"content", "tool_calls"}:
        return False
    return isinstance(first.get("role"), str)


def read(source: Source, mode: Mode, key: str) -> Iterator[Talk | Left]:
    """Objects are conversations; messages that stand by themselves are one together."""
    loose = Gathering(source.name)
    for item in source.items(mode, key):
        value = item.value
        if item.fault or not isinstance(value, Mapping) or not fits(value):
            yield Left(where=item.where, reason=item.fault or "wrong-shape")
        elif isinstance(value.get("messages"), list):
            yield talk(value, item.where)
        else:
            _take(value, loose, item.where)
    if loose.taken:
        yield loose.talk("")


def talk(document: Mapping[str, Any], where: str) -> Talk:
    """One conversation."""
    gathering = Gathering(where)
    for number, each in enumerate(rows(document.get("messages"))):
        _take(record(each), gathering, f"{where} messages[{number}]")
    id = next(filter(None, (name_of(document.get(key)) for key in _IDS)), "")
    began = next(filter(None, (time_of(document.get(k)) for k in ("created_at", "created"))), "")
    return gathering.talk(id, title=document.get("title"), began=began)


def _take(each: Mapping[str, Any], gathering: Gathering, where: str) -> None:
    stamps = (each.get(key) for key in ("timestamp", "created_at", "create_time"))
    found = _messages(each, gathering, where)
    gathering.follow(found, time=next(filter(None, map(time_of, stamps)), ""), where=where)


def _messages(each: Mapping[str, Any], gathering: Gathering, where: str) -> tuple[Message, ...]:
    role = _ROLES.get(word(each.get("role")))
    if role is None:
        system = each.get("role") in ("system", "developer")
        gathering.leave(where, "system" if system else "unknown-role")
        return ()
    if word(each.get("reasoning_content")) or word(each.get("reasoning")):
        gathering.leave(where, "thinking")
    content = each.get("content")
    if content is None and role == "assistant":
        content = each.get("refusal")
    said = messages_of(role, content, gathering, where)
    calls = _calls(each, gathering, where) if role == "assistant" else ()
    name = gathering.text(each.get("name"), where) or None
    if role == "tool":
        text = said[0].content if said else ""
        answers = name_of(each.get("tool_call_id"))
        return (Message(role="tool", content=text, tool_call_id=answers, name=name),)
    if not said and not calls:
        gathering.leave(where, "empty")
        return ()
    text = said[0].content if said else None
    return (Message(role=role, content=text, tool_calls=calls, name=name), *said[1:])


def _calls(each: Mapping[str, Any], gathering: Gathering, where: str) -> tuple[ToolCall, ...]:
    made = []
    for given in records(each.get("tool_calls")):
        function = record(given.get("function"))
        id, name = name_of(given.get("id")), name_of(function.get("name"))
        if not id or not name:
            gathering.leave(where, "tool")
            continue
        told = gathering.text(written(function.get("arguments")), where) or "{}"
        whole = {"id": id, "type": "function", "function": {"name": name, "arguments": told}}
        made.append(ToolCall(id=id, name=whole_text(name), json=canonical(whole)))
    return tuple(made)
