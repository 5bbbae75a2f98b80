"""An upstream that fails: the client sees what it did, and the store has no half turn."""

from __future__ import annotations

import socket
import time
from typing import Any

import httpx
import openai
import pytest

from palimpsest import Memory
from tests.support.proxied import proxied, settled
from tests.support.upstream import Scripted, Sent, event, scripted, streamed, whole

HI = [{"role": "user", "content": "Hello there."}]
WHOLE = streamed("A long answer of many words.")


def stored(memory: Memory, base: str, user: str) -> list[tuple[str, str]]:
    """Every exchange of every conversation of a user."""
    settled(base)
    return [
        (turn.user, turn.assistant)
        for name in memory.conversations(user)
        for turn in memory.conversation(user=user, id=name).turns()
    ]


def raw(base: str, user: str, **body: Any) -> tuple[int, bytes, bool]:
    """Status, the bytes that came, and whether the body came to its end."""
    seen, ended = b"", True
    with httpx.stream(
        "POST", f"{base}/chat/completions", json={"model": "toy", "messages": HI, "user": user, **body},
        timeout=20,
    ) as response:  # fmt: skip
        try:
            for piece in response.iter_raw():
                seen += piece
        except httpx.RemoteProtocolError:
            ended = False
    return response.status_code, seen, ended


@pytest.mark.parametrize("stream", [True, False])
def test_an_answer_passes_byte_for_byte(memory: Memory, up: Scripted, base: str, user: str, stream: bool) -> None:  # fmt: skip
    """Streamed or whole, with status and kind; then the turn is there."""
    assert (200, True) == (raw(base, user, stream=stream)[0], raw(base, user, stream=stream)[2])
    status, seen, _ = raw(base, user, stream=stream)
    assert (200, up.sent[-1].whole) == (status, seen)
    assert {("Hello there.", "An answer.")} == set(stored(memory, base, user))


def test_a_stream_that_dies_in_the_middle_dies_for_the_client(
    memory: Memory, up: Scripted, base: str, user: str
) -> None:
    """The same bytes, the same missing end, and nothing is stored."""
    up.answer = lambda body: Sent(pieces=WHOLE.pieces[:4], breaks=True)
    assert (200, b"".join(WHOLE.pieces[:4]), False) == raw(base, user, stream=True)
    assert [] == stored(memory, base, user)


def test_an_answer_in_one_piece_that_is_cut_is_cut_for_the_client(
    memory: Memory, up: Scripted, base: str, user: str
) -> None:
    """Its length was announced, so the client knows."""
    cut = whole("An answer.").whole[:40]
    up.answer = lambda body: Sent(pieces=(cut,), kind="application/json", breaks=True)
    assert (200, cut, False) == raw(base, user)
    assert [] == stored(memory, base, user)


@pytest.mark.parametrize("status", [400, 401, 404, 429, 500, 503])
def test_an_error_of_the_upstream_is_the_clients(
    memory: Memory, up: Scripted, base: str, user: str, status: int
) -> None:
    """Status, body and headers as they came."""
    said = b'{"error": {"message": "the model is not loaded", "type": "server_error"}}'
    up.answer = lambda body: Sent(
        pieces=(said,), status=status, kind="application/json", headers=(("Retry-After", "7"),)
    )
    answer = httpx.post(
        f"{base}/chat/completions", json={"model": "toy", "messages": HI, "user": user}
    )
    assert (status, said, "7") == (
        answer.status_code,
        answer.content,
        answer.headers["retry-after"],
    )
    assert [] == stored(memory, base, user)
    assert () == memory.conversations(user)


def test_an_upstream_that_hangs_is_given_up(memory: Memory, up: Scripted, user: str) -> None:
    """Before its first byte the client gets an error, after it the end of the connection."""
    up.answer = lambda body: Sent(pieces=WHOLE.pieces[:3], hangs=30.0)
    with proxied(memory, up.url, answer_seconds=0.5) as base:
        began = time.monotonic()
        assert (200, b"".join(WHOLE.pieces[:3]), False) == raw(base, user, stream=True)
        assert time.monotonic() - began < 10
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        with proxied(memory, url, answer_seconds=0.5) as base:
            status, said, _ = raw(base, user)
    assert 502 == status
    assert b'"code":"model"' in said
    assert [] == stored(memory, base, user)


def test_an_upstream_that_is_not_there_is_told_in_the_one_shape(memory: Memory, user: str) -> None:
    """The official client reads code and message."""
    with socket.create_server(("127.0.0.1", 0)) as gone:
        url = f"http://127.0.0.1:{gone.getsockname()[1]}/v1"
    with (
        proxied(memory, url) as base,
        openai.OpenAI(base_url=base, api_key="none", max_retries=0) as client,
    ):
        with pytest.raises(openai.InternalServerError) as failed:
            client.chat.completions.create(model="toy", messages=HI, user=user)  # type: ignore[arg-type]
        with pytest.raises(openai.InternalServerError):
            client.models.list()
    assert (502, "model") == (failed.value.status_code, failed.value.code)
    assert "cannot be reached" in str(failed.value)
    assert [] == stored(memory, base, user)


@pytest.mark.parametrize(
    "pieces",
    [
        (b"data: {not json}\n\n", b"data: [DONE]\n\n"),
        (event({"content": "A"}), b'data: {"error": {"message": "out of memory"}}\n\n'),
        (event({"content": "A"}), b"\xff\xfe\x00garbage\n\n", b"data: [DONE]\n\n"),
        (b"this is no stream of events\n\n",),
        (b"data: [DONE]\n\n",),
        (event({"content": "A"}),),
        (b'data: {"choices": "none"}\n\n', b"data: [DONE]\n\n"),
        (b'data: {"choices": [{"delta": {"tool_calls": [7]}}]}\n\n', b"data: [DONE]\n\n"),
    ],
    ids=["no JSON", "error", "no UTF-8", "no events", "nothing", "no end", "no choices", "no call"],
)
def test_an_invalid_stream_passes_and_is_not_stored(
    memory: Memory, up: Scripted, base: str, user: str, pieces: tuple[bytes, ...]
) -> None:
    """The client gets the very bytes; the store gets nothing, and the next turn is answered."""
    up.answer = lambda body: Sent(pieces=pieces)
    assert (200, b"".join(pieces), True) == raw(base, user, stream=True)
    assert [] == stored(memory, base, user)
    up.answer = lambda body: streamed("Here I am.")
    raw(base, user, stream=True)
    assert [("Hello there.", "Here I am.")] == stored(memory, base, user)


@pytest.mark.parametrize("body", [b"", b"<html>Welcome</html>", b'{"choices": []}', b"[1]",
                                  b'{"choices": [{"message": "hi"}]}'])  # fmt: skip
def test_an_answer_that_is_none_passes_and_is_not_stored(
    memory: Memory, up: Scripted, base: str, user: str, body: bytes
) -> None:
    """A page, a list, nothing at all."""
    up.answer = lambda _: Sent(pieces=(body,), kind="application/json")
    assert (200, body, True) == raw(base, user)
    assert [] == stored(memory, base, user)


def test_a_client_that_leaves_ends_the_call_and_nothing_is_stored(
    memory: Memory, up: Scripted, base: str, user: str
) -> None:
    """What it shows of the answer comes back with its next message, and is stored as it shows it."""
    up.answer = lambda body: Sent(pieces=WHOLE.pieces[:4], hangs=30.0)
    with httpx.stream(
        "POST",
        f"{base}/chat/completions",
        json={"model": "toy", "messages": HI, "stream": True, "user": user},
    ) as response:
        next(response.iter_raw())
    assert up.left.wait(10)
    assert [] == stored(memory, base, user)

    up.answer = lambda body: whole("Good.")
    shown = [*HI, {"role": "assistant", "content": "A long"}, {"role": "user", "content": "Go on."}]
    httpx.post(f"{base}/chat/completions", json={"model": "toy", "messages": shown, "user": user})
    assert shown == up.messages
    assert [("Hello there.", "A long"), ("Go on.", "Good.")] == stored(memory, base, user)


def test_the_same_question_after_a_failure_is_the_same_turn(
    memory: Memory, up: Scripted, base: str, user: str
) -> None:
    """A client that tries again stores one turn."""
    up.answer = lambda body: Sent(pieces=(b"{}",), status=500, kind="application/json")
    raw(base, user)
    up.answer = lambda body: whole("Hello.")
    raw(base, user)
    assert [("Hello there.", "Hello.")] == stored(memory, base, user)


def test_an_answer_that_is_packed_is_passed_packed_and_read(
    memory: Memory, up: Scripted, base: str, user: str
) -> None:
    """It was asked for plain; an upstream that packs it all the same is still understood."""
    import gzip

    packed = gzip.compress(whole("Packed words.").whole)
    up.answer = lambda body: Sent(
        pieces=(packed,), kind="application/json", headers=(("Content-Encoding", "gzip"),)
    )
    assert (200, packed, True) == raw(base, user)
    assert "identity" == up.headers[-1]["accept-encoding"]
    assert [("Hello there.", "Packed words.")] == stored(memory, base, user)


def test_every_stream_of_a_broken_upstream_is_one_request(memory: Memory, user: str) -> None:
    """The proxy tries nothing again by itself: the client decides."""
    with scripted(lambda body: Sent(pieces=(b"{}",), status=503, kind="application/json")) as up:
        with proxied(memory, up.url) as base:
            raw(base, user)
        assert 1 == len(up.asked)
