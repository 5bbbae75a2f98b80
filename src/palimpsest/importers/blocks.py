"""Contents that are lists of blocks (text, thinking, tool use, tool result) as messages.

Claude's shape. Words and calls become messages of their own, in their order, so that a call
that is never answered takes no words along.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from palimpsest.importers.gathering import Gathering, name_of
from palimpsest.importers.shapes import records, word, written
from palimpsest.types import Message, Role, ToolCall, canonical

_MEDIA = frozenset({"image", "document", "audio", "video", "file", "image_url", "input_image"})
_THINKING = frozenset({"thinking", "redacted_thinking", "reasoning"})
_OTHER = "unknown-content"
Words = Callable[[str, str], str]
"""What is left of a text that a program may have added to, and of its place."""


def messages_of(
    role: Role, content: object, gathering: Gathering, where: str, *, own: Words | None = None
) -> tuple[Message, ...]:
    """The messages of a content: a text, or a list of blocks; what is none is left."""
    if not isinstance(content, list):
        return tuple(_words(role, [word(content)], gathering, where, own))
    return tuple(_walked(role, records(content), gathering, where, own))


def call(id: object, name: object, arguments: object, gathering: Gathering, where: str) -> Message:
    """An assistant's message that makes one call."""
    told = gathering.text(written(arguments), where) or "{}"
    function = {"name": name_of(name) or "tool", "arguments": told}
    made = {"id": name_of(id), "type": "function", "function": function}
    one = ToolCall(id=name_of(id), name=function["name"], json=canonical(made))
    return Message(role="assistant", tool_calls=(one,))


def result(id: object, content: object, gathering: Gathering, where: str) -> Message:
    """The message that answers a call; one that said nothing is an empty text."""
    texts = [word(block.get("text")) for block in records(content)]
    whole = content if isinstance(content, str) else "\n".join(filter(None, texts))
    if any(word(block.get("type")) in _MEDIA for block in records(content)):
        gathering.leave(where, "media")
    said = gathering.text(whole, where)
    return Message(role="tool", content=said, tool_call_id=name_of(id))


def _walked(
    role: Role, blocks: Sequence[Mapping[str, Any]], gathering: Gathering, where: str,
    own: Words | None,
) -> Iterator[Message]:  # fmt: skip
    texts: list[str] = []
    for block in blocks:
        kind = word(block.get("type"))
        if kind in ("text", "input_text", "output_text"):
            texts.append(word(block.get("text")))
        elif kind == "tool_use" and name_of(block.get("id")):
            yield from _words(role, texts, gathering, where, own)
            texts = []
            yield call(block["id"], block.get("name"), block.get("input"), gathering, where)
        elif kind == "tool_result" and name_of(block.get("tool_use_id")):
            yield from _words(role, texts, gathering, where, own)
            texts = []
            yield result(block["tool_use_id"], block.get("content"), gathering, where)
        else:
            gathering.leave(where, _reason(kind))
    yield from _words(role, texts, gathering, where, own)


def _words(
    role: Role, texts: Sequence[str], gathering: Gathering, where: str, own: Words | None
) -> Iterator[Message]:
    told = (own(text, where) if own else text for text in texts)
    yield from gathering.words(role, "\n\n".join(text for text in told if text.strip()), where)


def _reason(kind: str) -> str:
    if kind in _THINKING:
        return "thinking"
    if kind in _MEDIA:
        return "media"
    return (
        "tool" if kind.startswith("tool") or kind.endswith(("tool_use", "tool_result")) else _OTHER
    )
