"""Chat logs of our own making, in the shapes of other programs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

START = 1_700_000_000.0
"""Seconds since 1970 at which every log begins: 14 November 2023."""


def node(
    id: str, parent: str | None, role: str = "user", text: str = "", **fields: Any
) -> dict[str, Any]:
    """One record of the tree of ChatGPT's export; one without a text has no message."""
    message = {
        "id": f"m-{id}", "author": {"role": role},
        "content": {"content_type": "text", "parts": [text]}, "weight": 1.0, "recipient": "all",
        "metadata": {}, **fields,
    }  # fmt: skip
    return {"id": id, "parent": parent, "children": [], "message": message if text else None}


def chatgpt(id: str, nodes: Sequence[dict[str, Any]], **fields: Any) -> dict[str, Any]:
    """One conversation of ChatGPT's export."""
    return {
        "id": id, "conversation_id": id, "title": "A title", "create_time": START,
        "current_node": nodes[-1]["id"] if nodes else None,
        "mapping": {each["id"]: each for each in nodes}, **fields,
    }  # fmt: skip


def dialogue(id: str, said: Sequence[str], *, start: float = START) -> dict[str, Any]:
    """A conversation of ChatGPT's in which user and assistant take turns."""
    nodes = [node("root", None)]
    for number, text in enumerate(said):
        nodes.append(
            node(f"n{number}", nodes[-1]["id"], ("user", "assistant")[number % 2], text,
                 create_time=start + 60 * number)
        )  # fmt: skip
    return chatgpt(id, nodes)


def large(path: Path, size: int, *, turns: int = 20) -> int:
    """Write an export of ChatGPT of at least ``size`` bytes; how many conversations it has."""
    count = 0
    with path.open("w", encoding="utf-8") as file:
        file.write("[")
        while file.tell() < size:
            said = [
                f"{count}.{i}: {_WORDS} I live in Oslo, number {count}." for i in range(2 * turns)
            ]
            file.write(("," if count else "") + json.dumps(dialogue(f"c{count}", said)))
            count += 1
        file.write("]")
    return count


_WORDS = "What was said here is long enough to be like an answer of a model, é and ü too. " * 6


def records(session: str, said: Sequence[str]) -> Iterator[dict[str, Any]]:
    """A session of Claude Code in which user and assistant take turns."""
    for number, text in enumerate(said):
        role = ("user", "assistant")[number % 2]
        yield {
            "type": role, "uuid": f"{session}-{number}", "sessionId": session,
            "parentUuid": f"{session}-{number - 1}" if number else None,
            "timestamp": f"2026-07-01T10:{number:02d}:00.000Z",
            "message": {"role": role, "content": text},
        }  # fmt: skip


def lines(path: Path, documents: Iterator[Any] | Sequence[Any]) -> Path:
    """Write one document a line."""
    path.write_text("".join(json.dumps(each) + "\n" for each in documents), encoding="utf-8")
    return path


def document(path: Path, value: Any) -> Path:
    """Write one JSON document."""
    path.write_text(json.dumps(value), encoding="utf-8")
    return path
