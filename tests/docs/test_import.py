"""The page on chat logs says what readers and writers do."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from palimpsest import Memory
from palimpsest.chat_exports import LOSSES, SHAPES
from palimpsest.importers import FORMATS
from palimpsest.importers.gathering import LONGEST
from palimpsest.importers.reasons import REASONS
from palimpsest.importers.source import LARGEST
from palimpsest.importers.trees import MOST
from tests.golden.made import ROOT
from tests.support.log_imports import read, words

PAGE = (ROOT / "docs" / "import.md").read_text(encoding="utf-8")
ISO = "2024-05-01T10:00:00Z"
CALL = {"type": "tool_use", "id": "t", "name": "f", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "t", "content": "r"}
TEXT = {"type": "text", "text": "A."}


def rows(first: str) -> list[list[str]]:
    """The cells of the table whose head begins so."""
    _, found = PAGE.split(f"| {first} |", 1)
    lines = found.split("\n\n", 1)[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def _tree(id: str, parent: str | None, role: str, text: str) -> dict[str, Any]:
    content = {"content_type": "text", "parts": [text]}
    return {"id": id, "parent": parent, "message": {
        "author": {"role": role}, "content": content, "create_time": 1_700_000_000.5}}  # fmt: skip


def _line(role: str, uuid: str, parent: str | None, content: Any) -> dict[str, Any]:
    return {"type": role, "uuid": uuid, "parentUuid": parent, "sessionId": "s", "timestamp": ISO,
            "message": {"role": role, "content": content}}  # fmt: skip


def _claude(uuid: str, parent: str, sender: str, *content: Any) -> dict[str, Any]:
    return {"uuid": uuid, "parent_message_uuid": parent, "sender": sender, "created_at": ISO,
            "content": list(content)}  # fmt: skip


def _item(**payload: Any) -> dict[str, Any]:
    return {"type": "response_item", "timestamp": ISO, "payload": payload}


PLAIN = [{"role": "user", "content": "Q?", "timestamp": ISO, "created_at": ISO},
         {"role": "assistant", "content": "A."}]  # fmt: skip
FULLEST: dict[str, list[Any]] = {
    "chatgpt": [{"id": "i", "mapping": {
        "u": _tree("u", None, "user", "Q?"), "a": _tree("a", "u", "assistant", "A."),
        "b": _tree("b", "u", "assistant", "B.")}}],
    "claude": [{"uuid": "i", "chat_messages": [
        _claude("u", "0", "human", {"type": "text", "text": "Q?"}),
        _claude("a", "u", "assistant", CALL, RESULT, TEXT), _claude("b", "u", "assistant", TEXT)]}],
    "claude-design": [{"uuid": "i", "project": {}, "messages": [
        {"role": "user", "content": {"content": "Q?", "timestamp": ISO}},
        {"role": "assistant", "content": {"content": [CALL, RESULT, TEXT], "timestamp": ISO}}]}],
    "gemini-cli": [{"sessionId": "i", "messages": [
        {"type": "user", "content": "Q?", "timestamp": ISO},
        {"type": "gemini", "content": "A.", "timestamp": ISO, "toolCalls": [{"id": "t"}]}]}],
    "claude-code": [_line("user", "u", None, "Q?"), _line("assistant", "a", "u", [CALL]),
                    _line("user", "r", "a", [RESULT]), _line("assistant", "e", "r", [TEXT]),
                    _line("user", "x", "e", "One?"), _line("user", "y", "e", "Two?")],
    "codex": [{"type": "session_meta", "payload": {"id": "i"}},
              _item(type="message", role="user", content=[{"type": "input_text", "text": "Q?"}]),
              _item(type="function_call", call_id="t", name="f", arguments="{}"),
              _item(type="function_call_output", call_id="t", output="r"),
              _item(type="message", role="assistant", content=[{"type": "output_text", "text": "A."}])],
    "wildchat": [{"conversation_hash": "i", "timestamp": ISO, "conversation": PLAIN}],
    "lmsys": [{"conversation_id": "i", "conversation": [
        {key: each[key] for key in ("role", "content")} for each in PLAIN]}],
    "sharegpt": [{"id": "i", "conversations": [
        {"from": "human", "value": "Q?", "timestamp": ISO}, {"from": "gpt", "value": "A."},
        {"from": "function_call", "value": "f()"}, {"from": "observation", "value": "r"}]}],
    "aistudio": [{"id": "i", "chunkedPrompt": {"chunks": [
        {"role": "user", "text": "Q?", "createTime": ISO}, {"role": "model", "text": "A."}]}}],
    "grok": [{"conversation": {"id": "i"}, "responses": [
        {"response": {"_id": "u", "sender": "human", "message": "Q?", "create_time": {
            "$date": {"$numberLong": "1700000000000"}}}},
        {"response": {"_id": "a", "sender": "ASSISTANT", "message": "A.", "parent_response_id": "u"}},
        {"response": {"_id": "b", "sender": "ASSISTANT", "message": "B.", "parent_response_id": "u"}}]}],
    "openai": [{"id": "i", "messages": [PLAIN[0], {"role": "assistant", "content": None, "tool_calls": [
        {"id": "t", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "t", "content": "r"}, PLAIN[1]]}],
}  # fmt: skip
"""For each format a file with all that the format can hold."""


def test_the_table_names_every_format() -> None:
    """In the order in which they are tried, so that it can be looked through."""
    told = [cells[0].strip("`") for cells in rows("format")]
    assert sorted(FORMATS) == sorted(told) == sorted(FULLEST)


@pytest.mark.parametrize("format", FULLEST)
def test_the_table_says_what_a_format_keeps(format: str, tmp_path: Path) -> None:
    """Id, times, branches and tool work, as its reader gives them for the fullest file."""
    path = tmp_path / "log"
    path.write_text("".join(json.dumps(each) + "\n" for each in FULLEST[format]))
    name, (talk,), left = read(path)
    found = words(talk)
    actual = [
        bool(talk.id), any(node.time for node in talk.nodes) or bool(talk.began), len(found) > 1,
        any(role == "tool" for way in found for turn in way for role, _ in turn),
    ]  # fmt: skip
    (told,) = (cells[2:] for cells in rows("format") if cells[0] == f"`{format}`")
    assert (format, []) == (name, left)
    assert told == ["yes" if each else "no" for each in actual]


def test_the_table_gives_every_reason() -> None:
    """With its outcome and its words."""
    expected = [[f"`{code}`", reason.fate, reason.words] for code, reason in REASONS.items()]
    assert expected == rows("reason")


def test_the_table_gives_every_loss(tmp_path: Path) -> None:
    """Of each shape, as an export of a message with everything counts it."""
    message = {"role": "assistant", "name": "x", "other": 1, "content": [
        {"type": "thinking", "thinking": "t"}, {"type": "image_url", "image_url": {"url": "data:,x"}},
        {"type": "strange"}, {"type": "text", "text": "A."}]}  # fmt: skip
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    with Memory.open(tmp_path / "m.db") as memory:
        talk = memory.conversation(user="me", id="x")
        talk.append(messages=[
            {"role": "user", "content": "Q?"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c", "content": "r"}, message,
            {"role": "user", "content": ""},
        ])  # fmt: skip
        talk.remember("I drink tea.")
        talk.remember("I live in Oslo.", attribute="city")
        talk.forget(attribute="city")
        lost = [memory.export_chats(tmp_path / shape, shape).lost for shape in SHAPES]
    expected = [[f"`{code}`: {told}", *("lost" if code in each else "kept" for each in lost)]
                for code, told in LOSSES.items()]  # fmt: skip
    assert expected == rows("what")


def test_the_limits_on_the_page_are_those_of_the_readers() -> None:
    """How many ways, and how large a conversation."""
    assert re.search(rf"At most {MOST} ways", PAGE)
    assert (True, True) == (f"{LONGEST // 10**6} million" in PAGE, LARGEST > LONGEST)
