"""Transcripts in the shapes that other programs read: OpenAI messages, ShareGPT.

Only what was said leaves: who wants memories, times and decisions back takes the program's own
JSONL. Invariant: one conversation a line, and whatever a shape has no place for is counted.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, get_args

from palimpsest.errors import InputError, NotFound
from palimpsest.store.store import Store
from palimpsest.transfer import Progress, whole_file
from palimpsest.types import Message, Scope

Shape = Literal["openai-jsonl", "sharegpt"]
SHAPES: tuple[Shape, ...] = get_args(Shape)
LOSSES: Mapping[str, str] = MappingProxyType(
    {
        "times": "turns whose time has no place",
        "memories": "memories with all that they replaced",
        "deletions": "records of what was forgotten: their words are in no file",
        "empty": "messages without words",
        "media": "images, sounds, videos and files inside a message",
        "thinking": "what the model thought",
        "other-parts": "parts of a content that the shape does not know",
        "tool-calls": "calls of tools",
        "tool-results": "results of tools",
        "names": "names of speakers",
        "other-keys": "keys of a message that the program only passes on",
    }
)
"""What a shape may lose, by code."""
_SPEAKERS = {"user": "human", "assistant": "gpt"}


@dataclass(slots=True, kw_only=True)
class ChatExport:
    """What was written, and how often something had no place."""

    conversations: int = 0
    messages: int = 0
    lost: Counter[str] = field(default_factory=Counter)


def chats_exported(
    store: Store, path: Path, shape: str, *, users: Sequence[str] = (),
    progress: Progress | None = None,
) -> ChatExport:  # fmt: skip
    """Write the transcripts of ``users`` (of everybody where none is named) to ``path``.

    The file is readable by its owner alone, and ``audit`` looks into it. Raises NotFound for
    an unknown user and InputError for an unknown shape or a place that cannot be written.
    """
    if shape not in SHAPES:
        raise InputError(f"--format: {shape!r} is not one of palimpsest, {', '.join(SHAPES)}")
    done = ChatExport()
    with whole_file(store, path) as file, store.reading():
        known = store.users()
        for user in users or known:
            if user not in known:
                there = ", ".join(map(repr, known)) or "none"
                raise NotFound(f"user {user!r} has nothing in {store.path!r}; users there: {there}")
        array = shape == "sharegpt"
        file.write("[\n" if array else "")
        for record in _records(store, users or known, _WRITERS[shape], done):
            # Each conversation is a line of its own, which an audit can read.
            file.write((",\n" if array and done.conversations else "") + _line(record))
            done.conversations += 1
            if progress:
                progress(done.conversations)
        file.write("]\n" if array else "")
    return done


_Write = Callable[[Message, Counter[str]], Mapping[str, Any]]


def _records(
    store: Store, users: Sequence[str], written: _Write, done: ChatExport
) -> Iterator[Mapping[str, Any]]:
    for user in users:
        for name in store.conversations.of(user):
            scope = Scope(user=user, conversation=name)
            messages = [
                found
                for number in range(1, store.turns.last(scope) + 1, _CHUNK)
                for turn in store.turns.between(scope, number, number + _CHUNK - 1)
                for message in turn.messages
                if (found := written(message, done.lost))
            ]
            done.lost["times"] += store.turns.count(scope)
            done.lost["memories"] += len(store.memories.current(scope))
            done.lost["memories"] += len(store.memories.superseded(scope))
            done.lost["deletions"] += len(store.deletions.of(scope))
            done.messages += len(messages)
            if messages:
                key = "conversations" if written is _sharegpt else "messages"
                yield {"id": name, "user": user, key: messages}
    done.lost = Counter({code: count for code, count in done.lost.items() if count})


_CHUNK = 64


def _openai(message: Message, lost: Counter[str]) -> Mapping[str, Any]:
    """The message as the chat API takes it; empty for one of which nothing is left."""
    content: Any = message.content
    if message.parts:
        content = [
            json.loads(part.json) for part in message.parts if part.kind in ("text", "media")
        ]
        _lost_parts(message, lost, media=False)
    if message.others():
        lost["other-keys"] += 1
    if not content and not message.tool_calls and message.role != "tool":
        lost["empty"] += 1
        return {}
    made: dict[str, Any] = {"role": message.role, "content": content or None}
    if message.tool_calls:
        made["tool_calls"] = [json.loads(call.json) for call in message.tool_calls]
    if message.tool_call_id is not None:
        made |= {"content": content or "", "tool_call_id": message.tool_call_id}
    return made | ({"name": message.name} if message.name else {})


def _sharegpt(message: Message, lost: Counter[str]) -> Mapping[str, Any]:
    """Who speaks, and the words."""
    _lost_parts(message, lost, media=True)
    lost["tool-calls"] += len(message.tool_calls)
    lost["names"] += bool(message.name)
    lost["other-keys"] += bool(message.others())
    if message.role not in _SPEAKERS:
        lost["tool-results"] += 1
        return {}
    parts = [part.text for part in message.parts if part.kind == "text" and part.text]
    said = message.content if message.content is not None else "\n".join(parts)
    if not said:
        lost["empty"] += not message.tool_calls
        return {}
    return {"from": _SPEAKERS[message.role], "value": said}


def _lost_parts(message: Message, lost: Counter[str], *, media: bool) -> None:
    for part in message.parts:
        if part.kind == "thinking":
            lost["thinking"] += 1
        elif part.kind == "media":
            lost["media"] += media
        elif part.kind == "tool_use":
            lost["tool-calls"] += 1
        elif part.kind == "tool_result":
            lost["tool-results"] += 1
        elif part.kind == "other":
            lost["other-parts"] += 1


_WRITERS: Mapping[str, _Write] = {"openai-jsonl": _openai, "sharegpt": _sharegpt}


def _line(record: Mapping[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"
