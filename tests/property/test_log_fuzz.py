"""Mutated chat logs: a reader takes what is whole or names the place; nothing is half done."""

from __future__ import annotations

import contextlib
import copy
import json
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from palimpsest import Memory
from palimpsest.errors import InputError
from palimpsest.importers import FORMATS, Left, Source, recognised
from palimpsest.importers.reasons import REASONS
from tests.support.chat_log_files import chatgpt, dialogue, node, records
from tests.support.log_imports import everything

SAID = ["One?", "Two.", "Three?", "Four."]


def _blocks(said: str) -> list[dict[str, Any]]:
    return [
        {"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": said},
        {"type": "tool_use", "id": "t1", "name": "Look", "input": {"at": 1}},
        {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "Seen"}]},
        {"type": "text", "text": "Done."},
    ]  # fmt: skip


def _claude() -> dict[str, Any]:
    messages = [
        {"uuid": f"m{i}", "parent_message_uuid": f"m{i - 1}" if i else None, "text": text,
         "sender": ("human", "assistant")[i % 2], "created_at": "2024-01-01T10:00:00Z",
         "content": _blocks(text), "attachments": [{"extracted_content": "x"}]}
        for i, text in enumerate(SAID)
    ]  # fmt: skip
    return {
        "uuid": "u",
        "name": "n",
        "created_at": "2024-01-01T10:00:00Z",
        "chat_messages": messages,
    }


def _codex() -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = [
        {"type": "message", "role": ("user", "assistant")[i % 2],
         "content": [{"type": "input_text", "text": text}]} for i, text in enumerate(SAID)
    ]  # fmt: skip
    items[1:1] = [
        {"type": "function_call", "call_id": "c", "name": "shell", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": {"content": "ok"}},
        {"type": "reasoning", "summary": []},
    ]
    head = {"type": "session_meta", "payload": {"id": "s", "timestamp": "2026-01-01T00:00:00Z"}}
    return [head, *({"type": "response_item", "payload": item} for item in items)]


def _roles(key: str, value: str, user: str, other: str) -> list[dict[str, Any]]:
    return [{key: (user, other)[i % 2], value: text} for i, text in enumerate(SAID)]


TALK = _roles("role", "content", "user", "assistant")
TREE = chatgpt("t", [node("root", None), node("u", "root", "user", "?"),
                     node("a", "u", "assistant", "1"), node("b", "u", "assistant", "2")])  # fmt: skip
SEEDS: dict[str, tuple[bool, list[Any]]] = {
    "chatgpt": (False, [TREE, dialogue("d", SAID)]),
    "claude": (False, [_claude()]),
    "claude-design": (False, [{"uuid": "d", "project": {}, "messages": [
        {"role": "user", "content": {"content": "One?", "timestamp": "2026-01-01T00:00:00Z"}}]}]),
    "gemini-cli": (False, [{"sessionId": "g", "messages": _roles("type", "content", "user", "gemini")}]),
    "claude-code": (True, [*records("s", SAID), *records("r", SAID[:3])]),
    "codex": (True, _codex()),
    "wildchat": (True, [{"conversation_hash": "h", "timestamp": "2023-04-09T00:02:53+00:00",
                         "conversation": TALK}]),
    "lmsys": (True, [{"conversation_id": "l", "conversation": TALK}]),
    "sharegpt": (False, [{"id": "s", "conversations": _roles("from", "value", "human", "gpt")}]),
    "aistudio": (False, [{"chunkedPrompt": {"chunks": _roles("role", "text", "user", "model")}}]),
    "grok": (False, [{"conversation": {"title": "t"},
                      "responses": _roles("sender", "message", "human", "assistant")}]),
    "openai": (True, [{"messages": [*TALK, {"role": "assistant", "tool_calls": [
        {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c", "content": "r"}, *TALK]}]),
}  # fmt: skip
ODD = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8), st.just(10**400),
    st.sampled_from(["\ud800", "\x00", "", " ", "user", "assistant", "tool", "system", "u", "a",
                     "9999-99-99", "~", "x" * 300]),
    st.lists(st.none() | st.text(max_size=3), max_size=2),
    st.dictionaries(st.text(max_size=3), st.none() | st.integers(), max_size=2),
)  # fmt: skip


def test_every_format_has_a_seed() -> None:
    """A format that comes later has to be added here."""
    assert FORMATS.keys() == SEEDS.keys()


def _paths(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [at] if at else []
    if isinstance(value, (dict, list)):
        for key, inside in value.items() if isinstance(value, dict) else enumerate(value):
            found += _paths(inside, (*at, key))
    return found


@st.composite
def mutated(draw: st.DrawFn, seed: list[Any]) -> list[Any]:
    """The documents with some values exchanged, doubled, renamed or gone."""
    made = copy.deepcopy(seed)
    for _ in range(draw(st.integers(0, 4))):
        path = draw(st.sampled_from(_paths(made)))
        holder = made
        for key in path[:-1]:
            holder = holder[key]
        _change(holder, path[-1], draw)
        if not made:
            made = [1]
    return made


def _change(holder: Any, key: Any, draw: st.DrawFn) -> None:
    how = draw(st.sampled_from(["odd", "gone", "double", "swap"]))
    if how == "gone":
        del holder[key]
    elif how == "double" and isinstance(holder, list):
        holder.insert(key, copy.deepcopy(holder[key]))
    elif how == "swap" and isinstance(holder, dict):
        other = draw(st.sampled_from(sorted(holder, key=str)))
        holder[key], holder[other] = holder[other], holder[key]
    else:
        holder[key] = draw(ODD)


def _written(path: Path, documents: list[Any], draw: Callable[..., Any], *, by_line: bool) -> None:
    text = "\n".join(map(json.dumps, documents)) if by_line else json.dumps(documents)
    data = bytearray(text.encode())
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, max(0, len(data) - 1)))
        data[at : at + draw(st.integers(0, 3))] = draw(st.binary(max_size=3))
    path.write_bytes(data[: len(data) - draw(st.sampled_from([0, 0, 0, 1, 40]))])


@pytest.fixture(scope="module")
def store() -> Iterator[Memory]:
    """One store for all: each example is the log of another user."""
    with Memory.open(":memory:") as memory:
        yield memory


@pytest.mark.parametrize("format", SEEDS)
@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_mutated_log_is_taken_or_named(
    format: str, data: st.DataObject, store: Memory, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Any other error is a fault; what is in is whole, and a second import changes nothing."""
    by_line, seed = SEEDS[format]
    path, user = tmp_path_factory.getbasetemp() / f"log-{format}", secrets.token_hex(8)
    _written(path, data.draw(mutated(seed)), data.draw, by_line=by_line)
    told: list[Any] = []
    with contextlib.suppress(InputError):
        recognised(Source.all_of(path)[0])
    try:
        done = store.import_log(path, user=user, format=format, told=told.append)
    except InputError as error:
        named, done = str(path) in str(error), None
    if done is None:
        assert (True, {}) == (named, everything(store, user=user))
        return
    lost = [found for found in told if isinstance(found, Left)]
    assert all(found.where.startswith(str(path)) and found.reason in REASONS for found in lost)
    assert sum(done.left.values()) == len(lost)
    held = everything(store, user=user)
    for name in held:
        turns = store.conversation(user=user, id=name).turns()
        assert list(range(1, len(turns) + 1)) == [turn.number for turn in turns]
        assert not any(turn.open for turn in turns[:-1])
    again = store.import_log(path, user=user, format=format)
    assert {"known"} >= again.fates.keys()
    assert held == everything(store, user=user)
