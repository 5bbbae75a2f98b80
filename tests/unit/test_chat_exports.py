"""Transcripts for other programs: what is written comes back, what has no place is counted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from palimpsest import Memory
from palimpsest.chat_exports import LOSSES
from palimpsest.errors import InputError, NotFound
from tests.support.log_imports import everything

CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
PHOTO = {"type": "image_url", "image_url": {"url": "data:,x"}}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """Words, a tool, a photograph, thoughts, a name, something forgotten; two users."""
    with Memory.open(tmp_path / "m.db") as held:
        talk = held.conversation(user="me", id="trip")
        talk.append(
            messages=[
                {"role": "user", "content": "My PIN is 4417, and I live in Oslo. é\n2", "name": "ada"},
                {"role": "assistant", "content": None, "tool_calls": [CALL]},
                {"role": "tool", "tool_call_id": "c1", "content": "Sunny."},
                {"role": "assistant", "content": "Sunny.", "reasoning_content": "Hm."},
                {"role": "user", "content": [{"type": "text", "text": "This?"}, PHOTO]},
                {"role": "assistant", "content": [{"type": "thinking", "thinking": "A cat."},
                                                  {"type": "text", "text": "A cat."}]},
            ]
        )  # fmt: skip
        talk.remember("I live in Oslo.", attribute="city")
        talk.forget(value="4417")
        held.conversation(user="bo", id="x").append(user="Hi.", assistant="Yo.")
        yield held


def test_openai_lines_hold_what_the_api_takes(memory: Memory, tmp_path: Path) -> None:
    """Calls, results, names and media too; thoughts and foreign keys are counted."""
    done = memory.export_chats(tmp_path / "o.jsonl", "openai-jsonl", users=["me"])
    (line,) = map(json.loads, (tmp_path / "o.jsonl").read_text().splitlines())
    assert ("trip", "me") == (line["id"], line["user"])
    assert [
        {"role": "user", "content": "My PIN is , and I live in Oslo. é\n2", "name": "ada"},
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "content": "Sunny.", "tool_call_id": "c1"},
        {"role": "assistant", "content": "Sunny."},
        {"role": "user", "content": [{"type": "text", "text": "This?"}, PHOTO]},
        {"role": "assistant", "content": [{"type": "text", "text": "A cat."}]},
    ] == line["messages"]
    assert {"times": 2, "memories": 1, "deletions": 1, "thinking": 1, "other-keys": 1} == done.lost


def test_sharegpt_holds_words_alone(memory: Memory, tmp_path: Path) -> None:
    """Who spoke and what; everything else is counted by its kind."""
    done = memory.export_chats(tmp_path / "s.json", "sharegpt")
    two, one = json.loads((tmp_path / "s.json").read_text())
    assert [["human", "My PIN is , and I live in Oslo. é\n2"], ["gpt", "Sunny."],
            ["human", "This?"], ["gpt", "A cat."]] == [
        [each["from"], each["value"]] for each in one["conversations"]
    ]  # fmt: skip
    assert [("bo", 2), (2, 6)] == [
        (two["user"], len(two["conversations"])), (done.conversations, done.messages)
    ]  # fmt: skip
    assert {
        "times": 3, "memories": 1, "deletions": 1, "thinking": 1, "other-keys": 1, "media": 1,
        "tool-calls": 1, "tool-results": 1, "names": 1,
    } == done.lost  # fmt: skip
    assert done.lost.keys() <= LOSSES.keys()


@pytest.mark.parametrize("shape", ["openai-jsonl", "sharegpt"])
def test_an_exported_transcript_comes_in_again(shape: str, memory: Memory, tmp_path: Path) -> None:
    """Its words are the same, and a second time nothing is new."""
    memory.export_chats(tmp_path / "f", shape, users=["bo"])
    with Memory.open(tmp_path / "n.db") as other:
        first = other.import_log(tmp_path / "f", user="bo")
        second = other.import_log(tmp_path / "f", user="bo")
        held = everything(other, user="bo")
    assert ({"added": 1}, {"known": 1}) == (first.fates, second.fates)
    assert [[[("user", "Hi."), ("assistant", "Yo.")]]] == list(held.values())


@pytest.mark.parametrize("shape", ["openai-jsonl", "sharegpt"])
def test_an_exported_transcript_is_known_where_it_comes_from(
    shape: str, memory: Memory, tmp_path: Path
) -> None:
    """Nothing comes twice, also after the talk went on; other words of that name are another talk."""
    memory.export_chats(tmp_path / "f", shape, users=["bo"])
    memory.conversation(user="bo", id="x").append(user="More?", assistant="No.")
    assert {"known": 1} == memory.import_log(tmp_path / "f", user="bo").fates
    text = (tmp_path / "f").read_text().replace("Yo.", "Ahoy.")
    (tmp_path / "f").write_text(text)
    assert {"added": 1} == memory.import_log(tmp_path / "f", user="bo").fates
    assert 2 == len(memory.conversation(user="bo", id="x").turns())


@pytest.mark.parametrize("shape", ["openai-jsonl", "sharegpt"])
def test_an_audit_looks_into_a_transcript(shape: str, memory: Memory, tmp_path: Path) -> None:
    """The store remembers the file; a value that it holds is found."""
    memory.conversation(user="bo", id="x").append(user="Code QX7719-ABC here.", assistant="Ok.")
    memory.export_chats(tmp_path / "f", shape)
    found = {finding.path for finding in memory.audit("QX7719-ABC").findings}
    assert str(tmp_path / "f") in found
    assert 0o600 == (tmp_path / "f").stat().st_mode & 0o777


def test_faults_name_what_there_is(memory: Memory, tmp_path: Path) -> None:
    """An unknown shape, an unknown user, a folder that is not there; no file is left."""
    with pytest.raises(
        InputError, match="'vicuna' is not one of palimpsest, openai-jsonl, sharegpt"
    ):
        memory.export_chats(tmp_path / "f", "vicuna")
    with pytest.raises(NotFound, match="users there: 'bo', 'me'"):
        memory.export_chats(tmp_path / "f", "sharegpt", users=["eve"])
    with pytest.raises(InputError, match="cannot be written"):
        memory.export_chats(tmp_path / "no" / "f", "sharegpt")
    assert not (tmp_path / "f").exists()
