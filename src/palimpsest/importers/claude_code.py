"""Sessions of Claude Code: one record a line, linked by ``parentUuid``, several sessions a file.

Parallel tool calls and their results hang beside one another in the file's tree and are one
piece of work: only the user's words fork a session. Invariant: the lines of a file are read
twice, first for whose they are, so that one session is held at a time.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from typing import Any

from palimpsest.importers import program_words
from palimpsest.importers.blocks import messages_of
from palimpsest.importers.gathering import Gathering, name_of
from palimpsest.importers.records import Left, Talk
from palimpsest.importers.shapes import record, rows, word
from palimpsest.importers.source import Mode, Source
from palimpsest.importers.times import time_of
from palimpsest.types import Message, Role

_ROLES: Mapping[str, Role] = {"user": "user", "assistant": "assistant"}
_CONTINUED = "This session is being continued from a previous conversation that ran out of context"
"""How a summary begins that no mark tells: older versions set none."""


def fits(document: Mapping[str, Any]) -> bool:
    """True for a record of a session."""
    if document.get("type") == "summary" and "leafUuid" in document:
        return True
    return "sessionId" in document and isinstance(document.get("type"), str)


def read(source: Source, mode: Mode, key: str) -> Iterator[Talk | Left]:
    """The sessions of a file, in the order in which they begin."""
    source.passes = 2
    sessions: dict[str, array[int]] = {}
    for item in source.items("lines"):
        if item.fault:
            yield Left(where=item.where, reason=item.fault)
        elif not isinstance(item.value, Mapping):
            yield Left(where=item.where, reason="wrong-shape")
        elif not name_of(item.value.get("sessionId")):
            told = "summary" if item.value.get("type") == "summary" else "not-a-message"
            yield Left(where=item.where, reason=told)
        else:
            session = name_of(item.value["sessionId"])
            sessions.setdefault(session, array("Q")).append(item.offset)
    for session, offsets in sessions.items():
        yield _Session(source, session).talk(offsets)


class _Session:
    """One session while it is read."""

    def __init__(self, source: Source, id: str) -> None:
        self._source, self._id = source, id
        self._gathering = Gathering(f"{source.name} {id}")
        self._home: dict[str, str] = {}
        """For each record the user's words that it belongs to."""
        self._tail: dict[str, str] = {}
        """For each user's words the last record of the work that they asked for."""
        self._last: str | None = None

    def talk(self, offsets: array[int]) -> Talk:
        began = ""
        for item in self._source.at_offsets(offsets):
            each = record(item.value)
            began = began or time_of(each.get("timestamp"))
            self._take(each)
        return self._gathering.talk(self._id, tip=self._last, began=began)

    def _take(self, each: Mapping[str, Any]) -> None:
        uuid = name_of(each.get("uuid"))
        where = f"{self._source.name} {self._id}/{uuid or time_of(each.get('timestamp')) or '?'}"
        if uuid and self._gathering.holds(uuid):
            self._gathering.leave(where, "duplicate-id")
            return
        if each.get("isSidechain") is True:
            self._gathering.leave(where, "sidechain")
            return
        messages = self._messages(each, where)
        parent, home = self._place(each, messages)
        id = self._gathering.add(
            uuid or None, parent, messages, time=time_of(each.get("timestamp")), where=where
        )
        self._home[id] = home = home or id
        self._tail[home] = id
        self._last = id

    def _place(
        self, each: Mapping[str, Any], messages: tuple[Message, ...]
    ) -> tuple[str | None, str]:
        """The record that it comes behind, and the user's words that it belongs to."""
        named = name_of(each.get("parentUuid")) or name_of(each.get("logicalParentUuid"))
        at = named if named in self._home else self._last
        if at is None:
            return None, ""
        home = self._home[at]
        speaks = any(message.role == "user" for message in messages)
        return self._tail[home], "" if speaks else home

    def _messages(self, each: Mapping[str, Any], where: str) -> tuple[Message, ...]:
        reason = _unwanted(each)
        if reason:
            self._gathering.leave(where, reason)
            return ()
        message = record(each.get("message"))
        role = _ROLES[word(each.get("type"))]
        return messages_of(
            role, message.get("content"), self._gathering, where,
            own=self._own if role == "user" else None,
        )  # fmt: skip

    def _own(self, text: str, where: str) -> str:
        return program_words.without(text, self._gathering, where)


def _unwanted(each: Mapping[str, Any]) -> str:
    """Why a record is not taken; empty for one that is."""
    if each.get("type") == "summary" or _is_summary(each):
        return "summary"
    if each.get("type") == "system":
        return "system"
    if word(each.get("type")) not in _ROLES:
        return "not-a-message"
    if each.get("isMeta") is True or each.get("isApiErrorMessage") is True:
        return "program-words"
    return "" if isinstance(each.get("message"), Mapping) else "unknown-content"


def _is_summary(each: Mapping[str, Any]) -> bool:
    """True for the summary that a compaction puts in the user's place, marked or not."""
    if each.get("isCompactSummary") is True:
        return True
    content = record(each.get("message")).get("content")
    first = record([*rows(content), None][0]).get("text")
    said = content if isinstance(content, str) else word(first)
    return each.get("type") == "user" and said.lstrip().startswith(_CONTINUED)
