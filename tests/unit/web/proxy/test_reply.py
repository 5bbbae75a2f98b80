"""The copy of an answer: the same reply however its bytes are cut, and none unless it is whole."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from palimpsest import messages
from palimpsest.web.proxy.reply import Copy
from tests.support.upstream import event, streamed, whole

EVENTS = {"content-type": "text/event-stream; charset=utf-8"}
JSON = {"content-type": "application/json"}
CALLS = [
    {"id": "a", "type": "function", "function": {"name": "f", "arguments": '{"x": "é"}'}},
    {"id": "b", "type": "function", "function": {"name": "g", "arguments": "{}"}},
]


def read(headers: dict[str, str], *pieces: bytes, ended: bool = True) -> Any:
    copy = Copy(headers)
    for piece in pieces:
        copy.feed(piece)
    if ended:
        copy.end()
    return copy.reply()


def cut(data: bytes, places: list[int]) -> list[bytes]:
    edges = sorted({0, len(data), *(place % (len(data) + 1) for place in places)})
    return [data[a:b] for a, b in pairwise(edges)]


@settings(max_examples=60)
@given(st.text(st.characters(codec="utf-8"), min_size=1), st.lists(st.integers(0, 10_000)))
def test_however_a_stream_is_cut_the_reply_is_the_same(text: str, places: list[int]) -> None:
    """In the middle of a character, of a line end, of an event."""
    pieces = [
        event({"role": "assistant"}),
        *(event({"content": c}) for c in text),
        event({}, "stop"),
    ]
    data = b"".join(pieces) + b"data: [DONE]\n\n"
    for end in (b"\n", b"\r\n"):
        sent = data.replace(b"\n", end)
        assert {"role": "assistant", "content": text} == read(EVENTS, *cut(sent, places))


@settings(max_examples=60)
@given(st.integers(0, 10_000))
def test_a_stream_that_ends_early_has_no_reply(place: int) -> None:
    """Not a byte before what says that it is done."""
    data = b"".join(streamed("Some words here.").pieces)
    done = data.index(b'"finish_reason": "stop"') + len(b'"finish_reason": "stop"}]}\n')
    early = data[: place % done]
    copy = Copy(EVENTS)
    copy.feed(early)
    assert copy.reply() is None


def test_calls_come_in_pieces_and_together() -> None:
    """Each call whole, in its place; and a message that the store takes."""
    data = streamed("Let me look.", calls=CALLS, finish="tool_calls").whole
    reply = read(EVENTS, data)
    assert CALLS == reply["tool_calls"]
    assert "Let me look." == reply["content"]
    assert messages.message(reply).as_dict() == reply
    assert {"role": "assistant", "content": None, "tool_calls": CALLS} == read(
        JSON, whole(None, tool_calls=CALLS).whole
    )


def test_comments_pings_and_reports_of_usage_are_no_words() -> None:
    """What servers send beside the answer."""
    sent = (
        b": OPENROUTER PROCESSING\n\n", b"event: ping\nid: 7\nretry: 10\n\n", event({"content": "A"}),
        event({}, "stop"), b'data: {"choices": [], "usage": {"total_tokens": 5}}\n\n',
        b"data: [DONE]\n\n",
    )  # fmt: skip
    assert {"role": "assistant", "content": "A"} == read(EVENTS, *sent)


def test_an_end_without_done_is_an_end_where_a_reason_was_given() -> None:
    """Some servers send no [DONE]."""
    assert {"role": "assistant", "content": "A"} == read(
        EVENTS, event({"content": "A"}), event({}, "length")
    )
    assert read(EVENTS, event({"content": "A"})) is None
    assert read(EVENTS, event({"content": "A"}), event({}, "length"), ended=False) is None


def test_the_choice_with_the_number_0_is_read() -> None:
    """Wherever it stands among the others."""
    sent = (event({"content": "B"}, index=1), event({"content": "A"}), event({}, "stop", index=1),
            event({}, "stop"), b"data: [DONE]\n\n")  # fmt: skip
    assert {"role": "assistant", "content": "A"} == read(EVENTS, *sent)


def test_a_refusal_and_an_empty_answer_are_answers() -> None:
    """The words of a refusal are its words; silence is an answer too."""
    assert {"role": "assistant", "content": "No."} == read(JSON, whole(None, refusal="No.").whole)
    assert {"role": "assistant", "content": ""} == read(JSON, whole("").whole)
    assert {"role": "assistant", "content": "No."} == read(
        EVENTS, event({"refusal": "N"}), event({"refusal": "o."}), event({}, "stop")
    )


def test_an_older_call_is_no_reply() -> None:
    """No message of today could answer it."""
    old = json.loads(whole(None).whole)
    old["choices"][0]["message"]["function_call"] = {"name": "f", "arguments": "{}"}
    assert read(JSON, json.dumps(old).encode()) is None


def test_a_packing_that_we_do_not_know_is_passed_and_not_read() -> None:
    """The bytes go to whoever asked for them."""
    assert read({**JSON, "content-encoding": "br"}, whole("A.").whole) is None
    assert read({**JSON, "content-encoding": "gzip"}, b"no gzip at all") is None
