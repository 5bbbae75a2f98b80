"""Rollouts of Codex: a file is one session, a line is an item of the exchange or an event.

Events repeat what the items say and are left. Older files have the items without an envelope.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from palimpsest.importers import program_words
from palimpsest.importers.blocks import call, messages_of, result
from palimpsest.importers.gathering import Gathering, name_of
from palimpsest.importers.records import Left, Talk
from palimpsest.importers.shapes import record, word
from palimpsest.importers.source import Mode, Source
from palimpsest.importers.times import time_of
from palimpsest.types import Message, Role

_ENVELOPES = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
_CALLS = frozenset({"function_call", "custom_tool_call"})
_RESULTS = frozenset({"function_call_output", "custom_tool_call_output"})
_ITEMS = frozenset({"message", "reasoning"}) | _CALLS | _RESULTS
_ROLES: Mapping[str, Role] = {"user": "user", "assistant": "assistant"}


def fits(document: Mapping[str, Any]) -> bool:
    """True for a line of a rollout."""
    if isinstance(document.get("payload"), Mapping):
        return word(document.get("type")) in _ENVELOPES
    if {"id", "timestamp"} <= document.keys() <= {"id", "timestamp", "instructions", "git"}:
        return True
    return word(document.get("type")) in _ITEMS


def read(source: Source, mode: Mode, key: str) -> Iterator[Talk | Left]:
    """The one session of a file."""
    gathering = Gathering(source.name)
    id, began = "", ""
    for item in source.items("lines"):
        if item.fault or not isinstance(item.value, Mapping):
            yield Left(where=item.where, reason=item.fault or "wrong-shape")
            continue
        line = item.value
        payload = line.get("payload")
        inner = payload if isinstance(payload, Mapping) else line
        if line.get("type") == "session_meta" or (not line.get("type") and "id" in line):
            # A session that goes on from another one repeats its head further down.
            id = id or name_of(inner.get("id"))
            began = began or time_of(inner.get("timestamp") or line.get("timestamp"))
            continue
        time = time_of(line.get("timestamp")) or time_of(inner.get("timestamp"))
        found = tuple(_messages(line, inner, gathering, item.where))
        if found:
            gathering.follow(found, time=time, where=item.where)
    yield gathering.talk(id, began=began)


def _messages(
    line: Mapping[str, Any], inner: Mapping[str, Any], gathering: Gathering, where: str
) -> Iterator[Message]:
    kind = word(inner.get("type"))
    if line.get("type") not in (*_ITEMS, "response_item"):
        gathering.leave(where, "summary" if line.get("type") == "compacted" else "not-a-message")
    elif kind == "message":
        yield from _said(inner, gathering, where)
    elif kind in _CALLS:
        given = inner.get("arguments", inner.get("input"))
        yield call(inner.get("call_id"), inner.get("name"), given, gathering, where)
    elif kind in _RESULTS:
        yield result(inner.get("call_id"), _output(inner.get("output")), gathering, where)
    elif kind == "reasoning":
        gathering.leave(where, "thinking")
    else:
        gathering.leave(where, "tool" if kind.endswith("_call") else "not-a-message")


def _said(inner: Mapping[str, Any], gathering: Gathering, where: str) -> Iterator[Message]:
    role = _ROLES.get(word(inner.get("role")))
    if role is None:
        system = inner.get("role") in ("system", "developer")
        gathering.leave(where, "system" if system else "unknown-role")
        return
    own = (lambda text, at: program_words.without(text, gathering, at)) if role == "user" else None
    yield from messages_of(role, inner.get("content"), gathering, where, own=own)


def _output(output: object) -> object:
    """The text of a result: itself, or inside an object."""
    inside = record(output).get("content")
    return inside if isinstance(inside, (str, list)) else output
