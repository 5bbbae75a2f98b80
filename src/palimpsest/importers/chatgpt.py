"""The export of ChatGPT: each conversation is a tree in ``mapping``, with regenerated answers.

What is hidden, thought or done by a tool keeps its place in the tree and has no message. A
conversation that the user kept out of memory stays out of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from palimpsest.importers.gathering import Gathering, name_of
from palimpsest.importers.records import Talk
from palimpsest.importers.shapes import record, rows, word
from palimpsest.importers.times import time_of
from palimpsest.types import Message

_THINKING = frozenset({"thoughts", "reasoning_recap"})
_CONTEXT = frozenset({"user_editable_context", "model_editable_context"})
_TOOL = frozenset(
    {"code", "execution_output", "tether_quote", "tether_browsing_display", "tether_browsing_code",
     "computer_output", "sonic_webpage", "super_widget", "system_error", "app_pairing_content"}
)  # fmt: skip


def fits(document: Mapping[str, Any]) -> bool:
    """True for one conversation of this format."""
    return isinstance(_unwrapped(document).get("mapping"), Mapping)


def talk(document: Mapping[str, Any], where: str) -> Talk:
    """One conversation."""
    given = _unwrapped(document)
    gathering = Gathering(where)
    id = name_of(given.get("conversation_id")) or name_of(given.get("id"))
    if given.get("is_do_not_remember") is True:
        gathering.leave(where, "do-not-remember")
        return gathering.talk(id)
    for key, value in record(given.get("mapping")).items():
        node = record(value)
        message = record(node.get("message"))
        place = f"{where} {id}/{name_of(key)}"
        gathering.add(
            key, node.get("parent"), _messages(message, gathering, place) if message else (),
            time=time_of(message.get("create_time")), where=place,
        )  # fmt: skip
    return gathering.talk(
        id, title=given.get("title"), tip=given.get("current_node"),
        began=time_of(given.get("create_time")),
    )  # fmt: skip


def _unwrapped(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """A capture of the same answer of the server holds it whole."""
    inside = document.get("raw_provider_payload")
    return inside if isinstance(inside, Mapping) else document


def _messages(message: Mapping[str, Any], gathering: Gathering, where: str) -> tuple[Message, ...]:
    for _ in rows(record(message.get("metadata")).get("attachments")):
        gathering.leave(where, "attachment")
    content = record(message.get("content"))
    reason = _unwanted(message, word(content.get("content_type")))
    if reason:
        gathering.leave(where, reason)
        return ()
    said = "\n".join(filter(None, (_part(p, gathering, where) for p in rows(content.get("parts")))))
    if not said and isinstance(content.get("text"), str):
        said = content["text"]
    role = "user" if record(message.get("author")).get("role") == "user" else "assistant"
    found = gathering.words("user" if role == "user" else "assistant", said, where)
    if not found:
        gathering.leave(where, "empty")
    return found


def _unwanted(message: Mapping[str, Any], kind: str) -> str:
    """Why a message is not taken; empty for one that is."""
    role = record(message.get("author")).get("role")
    if role == "system" or kind in _CONTEXT:
        return "hidden" if _hidden(message) or kind in _CONTEXT else "system"
    if kind in _THINKING:
        return "thinking"
    if role == "tool" or (role == "assistant" and kind in _TOOL):
        return "tool"
    if role not in ("user", "assistant"):
        return "unknown-role"
    if role == "assistant" and message.get("recipient") not in (None, "all"):
        return "tool"
    if _hidden(message):
        return "hidden"
    return "" if kind in ("text", "multimodal_text") else "unknown-content"


def _hidden(message: Mapping[str, Any]) -> bool:
    shown = record(message.get("metadata"))
    return shown.get("is_visually_hidden_from_conversation") is True or message.get("weight") == 0


def _part(part: object, gathering: Gathering, where: str) -> str:
    """The words of one part: written, or spoken and written down."""
    if isinstance(part, str):
        return part
    kind = word(record(part).get("content_type"))
    if kind == "audio_transcription":
        return word(record(part).get("text"))
    if part is not None:
        media = "pointer" in kind or kind.startswith(("image", "audio", "video"))
        gathering.leave(where, "media" if media else "unknown-content")
    return ""
