"""Sessions of Gemini CLI, and prompts of AI Studio."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from palimpsest.importers.gathering import Gathering, name_of
from palimpsest.importers.records import Talk
from palimpsest.importers.shapes import record, records, rows, word
from palimpsest.importers.times import time_of
from palimpsest.types import Role

_ROLES: Mapping[str, Role] = {"user": "user", "gemini": "assistant", "model": "assistant"}
_MEDIA = ("driveDocument", "driveImage", "driveVideo", "driveAudio", "inlineImage", "inlineFile",
          "youtubeVideo")  # fmt: skip


def is_cli(document: Mapping[str, Any]) -> bool:
    """True for a session of Gemini CLI."""
    given = document.get("messages")
    return "sessionId" in document and isinstance(given, list) and "type" in record([*given, 0][0])


def is_aistudio(document: Mapping[str, Any]) -> bool:
    """True for a prompt of AI Studio."""
    return isinstance(record(document.get("chunkedPrompt")).get("chunks"), list)


def cli_talk(document: Mapping[str, Any], where: str) -> Talk:
    """One session."""
    gathering = Gathering(where)
    for number, each in enumerate(records(document.get("messages"))):
        place = f"{where} messages[{number}]"
        for key, reason in (("thoughts", "thinking"), ("toolCalls", "tool")):
            if rows(each.get(key)):
                gathering.leave(place, reason)
        content = each.get("content")
        parts = [part if isinstance(part, str) else word(record(part).get("text"))
                 for part in rows(content)]  # fmt: skip
        said = content if isinstance(content, str) else "\n".join(filter(None, parts))
        _take(gathering, each, "type", said, each.get("timestamp"), place)
    return gathering.talk(
        name_of(document.get("sessionId")), title=document.get("summary"),
        began=time_of(document.get("startTime")),
    )  # fmt: skip


def aistudio_talk(document: Mapping[str, Any], where: str) -> Talk:
    """One prompt; a chunk that the model thought is left."""
    gathering = Gathering(where)
    if document.get("systemInstruction"):
        gathering.leave(f"{where} systemInstruction", "system")
    chunks = record(document.get("chunkedPrompt")).get("chunks")
    for number, each in enumerate(records(chunks)):
        place = f"{where} chunkedPrompt.chunks[{number}]"
        if each.get("isThought") is True:
            gathering.leave(place, "thinking")
        elif any(key in each for key in _MEDIA):
            gathering.leave(place, "media")
        else:
            _take(gathering, each, "role", each.get("text"), each.get("createTime"), place)
    return gathering.talk(name_of(document.get("id")), title=document.get("title"))


def _take(
    gathering: Gathering, each: Mapping[str, Any], key: str, said: object, time: object, place: str
) -> None:
    role = _ROLES.get(word(each.get(key)))
    if role is None:
        notice = each.get(key) in ("info", "error", "warning")
        gathering.leave(place, "not-a-message" if notice else "unknown-role")
        return
    found = gathering.words(role, said, place)
    if not found:
        gathering.leave(place, "empty")
    gathering.follow(found, time=time_of(time), where=place)
