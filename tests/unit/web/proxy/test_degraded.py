"""Where memory cannot build the request the chat goes on, and the client is told why."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import httpx
import pytest

from palimpsest import Budget, Memory
from palimpsest.tokens.counter import TokenCounter
from tests.support.proxied import proxied, settled
from tests.support.upstream import Body, Scripted

HI: Body = {"role": "user", "content": "Hello there."}


def ask(base: str, messages: Any, **body: Any) -> httpx.Response:
    sent = {"model": "toy", "messages": messages, **body}
    answer = httpx.post(f"{base}/chat/completions", json=sent, timeout=30)
    settled(base)
    return answer


def reason(answer: httpx.Response) -> str:
    assert 200 == answer.status_code, answer.text
    return answer.headers.get("x-palimpsest-degraded", "")


def test_a_tokenizer_that_is_not_prepared(tmp_path: Path, up: Scripted, empty_cache: Path) -> None:
    """The chat goes on and its turns are kept; they are there once the tokenizer is."""
    with Memory.open(tmp_path / "m.db") as memory, proxied(memory, up.url) as base:
        assert "not_prepared" == reason(ask(base, [HI]))
        (name,) = memory.conversations("default")
        assert 1 == len(memory.conversation(user="default", id=name).turns())
    assert [HI] == up.messages


def test_a_question_over_the_window(memory: Memory, base: str, up: Scripted, user: str) -> None:
    """It goes as it is, and the model server says what it thinks of it."""
    long = {"role": "user", "content": "word " * 6_000}
    assert "required_context_too_large" == reason(ask(base, [long], user=user))
    assert [long] == up.messages


def test_the_answer_that_is_allowed_is_reserved(base: str, up: Scripted, user: str) -> None:
    """3,000 tokens fit beside an answer of 16 in a window of 4,096, and not beside one of 2,000."""
    asked = [{"role": "user", "content": "word " * 3_000}]
    assert "" == reason(ask(base, asked, user=user, max_tokens=16))
    for name in ("max_tokens", "max_completion_tokens"):
        answer = ask(base, asked, user=user, **{name: 2_000})
        assert "required_context_too_large" == reason(answer)


def test_messages_that_memory_cannot_read_pass(base: str, up: Scripted, user: str) -> None:
    """Older and unknown shapes are the upstream's business."""
    for asked in (
        [{"role": "function", "name": "f", "content": "1"}],
        [HI, {"role": "assistant", "content": "Once upon"}],
        [HI, {"role": "assistant", "content": None, "function_call": {"name": "f"}}, HI],
        [{"role": "tool", "tool_call_id": "nobody's", "content": "1"}],
        [{"role": "user", "content": [{"type": "text"}]}],
        [7],
    ):
        assert "input" == reason(ask(base, asked, user=user))
        assert asked == up.messages


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"[]", b"\xff\xfe", b'{"messages": 5}', b'{"messages": []}', b'{"model": "toy"}',
        b'{"messages": [{}], "n": NaN}', b'{"a":' * 100_000,
        b'{"messages": [{"role": "user", "content": "Hi."}], "top_p": 1e999}',
        b'{"messages": [{"role": "user", "content": "\\ud800"}]}',
        b'{"messages": [{"role": "user", "content": "Hi."}], "x": {"\\uDC00": 1}}',
    ],
    ids=["empty", "cut", "list", "no UTF-8", "number", "none", "missing", "NaN", "deep", "beyond", "half", "half key"],
)  # fmt: skip
def test_a_body_that_is_no_call_is_refused(base: str, up: Scripted, body: bytes) -> None:
    """422 in the one shape, and the upstream is not asked."""
    answer = httpx.post(f"{base}/chat/completions", content=body, timeout=30)
    assert (422, "input") == (answer.status_code, answer.json()["error"]["code"])
    assert [] == up.asked


def test_a_whole_surrogate_pair_is_a_character(base: str, up: Scripted, user: str) -> None:
    """The escapes of one character outside the first plane come as that character."""
    sent = b'{"model": "toy", "user": "%s", "messages": [{"role": "user", "content": "\\ud83c\\udf89"}]}'
    answer = httpx.post(f"{base}/chat/completions", content=sent % user.encode())
    assert "" == reason(answer)
    assert up.messages[-1]["content"].endswith("\U0001f389")


def test_another_process_that_writes_holds_up_no_chat(
    tmp_path: Path, counter: TokenCounter, up: Scripted
) -> None:
    """A first turn only reads; what has to be written waits, and past the limit is done without."""
    path = tmp_path / "m.db"
    history = [HI, {"role": "assistant", "content": "Hello."}, {"role": "user", "content": "So?"}]
    with (
        Memory.open(path, counter=counter) as memory,
        proxied(memory, up.url, memory_seconds=0.5) as base,
        sqlite3.connect(path, isolation_level=None) as other,
    ):
        other.execute("BEGIN IMMEDIATE")
        # A history that is new has to be stored before a request can be built from it.
        answer = httpx.post(f"{base}/chat/completions", timeout=30,
                            json={"model": "toy", "messages": history})  # fmt: skip
        assert "deadline" == reason(answer)
        assert history[-1:] == up.messages
        other.execute("ROLLBACK")
        assert "" == reason(ask(base, [*history, {"role": "assistant", "content": "An answer."},
                                       {"role": "user", "content": "And?"}]))  # fmt: skip
        assert 5 == len(up.messages)
        (name,) = memory.conversations("default")
        assert 3 == len(memory.conversation(user="default", id=name).turns())
    other.close()


def test_a_turn_is_stored_when_the_other_writer_is_done(
    tmp_path: Path, counter: TokenCounter, up: Scripted
) -> None:
    """The answer was on its way already; nothing is lost."""
    path = tmp_path / "m.db"
    with (
        Memory.open(path, counter=counter) as memory,
        proxied(memory, up.url) as base,
        sqlite3.connect(path, isolation_level=None) as other,
    ):
        ask(base, [HI])
        other.execute("BEGIN IMMEDIATE")
        history = [HI, {"role": "assistant", "content": "An answer."}, HI]
        answer = httpx.post(f"{base}/chat/completions", timeout=5,
                            json={"model": "toy", "messages": history})  # fmt: skip
        assert "" == reason(answer)
        (name,) = memory.conversations("default")
        assert 1 == memory.conversation(user="default", id=name).last_turn()
        other.execute("ROLLBACK")
        settled(base)
        assert 2 == memory.conversation(user="default", id=name).last_turn()
    other.close()


def test_a_window_without_room_is_told_at_once() -> None:
    """The window is the server's setting, so its fault is the server's."""
    with pytest.raises(Exception, match="leaves no input space"):
        Budget(window=100, answer=100)
