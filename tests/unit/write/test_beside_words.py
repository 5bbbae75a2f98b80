"""What stands beside the words of a message is redacted like the words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from palimpsest import Budget, Memory, write
from palimpsest.conversation import Conversation
from palimpsest.messages import message
from palimpsest.tokens.local import LocalTokenizer

VALUE = "447190"
THOUGHT = {"type": "thinking", "thinking": f"They say {VALUE}.", "signature": "c2ln"}
PICTURE = {"type": "image_url", "image_url": {"url": f"https://x.io/{VALUE}"}}


@pytest.fixture
def memory(tmp_path: Path, chatml: LocalTokenizer) -> Iterator[Memory]:
    with Memory.open(str(tmp_path / "m.db"), tokenizer=chatml) as made:
        yield made


@pytest.fixture
def talk(memory: Memory) -> Conversation:
    return memory.conversation(user="ana", id="c")


def stored(tmp_path: Path) -> str:
    """Every byte of the store."""
    return b"".join(file.read_bytes() for file in tmp_path.iterdir()).decode("utf-8", "replace")


def sent(talk: Conversation, tokenizer: LocalTokenizer) -> list[dict[str, Any]]:
    """The messages of turn 1 in a managed request that counts exactly."""
    request = talk.request("?", budget=Budget(window=100_000, answer=0))
    assert tokenizer.count_request(request.sent, request.tools) == request.tokens
    assert [m.role for m in request.sent] == [message(m).role for m in request.messages]
    return request.messages[:-1]


CARRIERS: dict[str, dict[str, Any]] = {
    "a thought": {"content": [THOUGHT, {"type": "text", "text": "Ok."}]},
    "a thought alone": {"content": [THOUGHT]},
    "a picture": {"content": [{"type": "text", "text": "Ok."}, PICTURE]},
    "reasoning": {"content": "Ok.", "reasoning_content": f"PIN {VALUE}, then."},
    "signed blocks": {"content": "Ok.", "thinking_blocks": [THOUGHT], "id": "m-1"},
    "a number": {"content": "Ok.", "metadata": {"pin": 447190, "deep": [{"x": [447190]}]}},
    "a key": {"content": "Ok.", "metadata": {VALUE: True}},
    "a name": {"content": "Ok.", "name": VALUE},
    "a citation": {"content": [{"type": "text", "text": "Ok.", "citations": [{"cited": VALUE}]}]},
}


@pytest.mark.parametrize("carrier", CARRIERS.values(), ids=CARRIERS)
def test_a_forget_reaches_it_in_requests_and_in_the_file(
    talk: Conversation, chatml: LocalTokenizer, tmp_path: Path, carrier: dict[str, Any]
) -> None:
    """Whatever carries the value, no request and no byte of the file holds it."""
    said = {"role": "user", "content": f"My pin is {VALUE}."}
    talk.append(messages=[said, {"role": "assistant", **carrier}])
    talk.remember(f"My pin is {VALUE}.", attribute="pin", turn=1)
    assert VALUE in json.dumps(sent(talk, chatml))
    assert VALUE in stored(tmp_path)
    talk.forget(attribute="pin")
    assert VALUE not in json.dumps(sent(talk, chatml))
    assert VALUE not in stored(tmp_path)
    replayed = talk.request("?", budget=Budget(window=100_000, answer=0), strategy="recent")
    assert chatml.count_request(replayed.sent, ()) == replayed.tokens


@pytest.mark.parametrize("carrier", CARRIERS.values(), ids=CARRIERS)
def test_a_correction_hides_it_and_keeps_the_transcript(
    talk: Conversation, chatml: LocalTokenizer, carrier: dict[str, Any]
) -> None:
    """What was corrected is in no request; the stored turn is what was said."""
    answer = {"role": "assistant", **carrier}
    talk.append(messages=[{"role": "user", "content": f"My pin is {VALUE}."}, answer])
    talk.remember(f"My pin is {VALUE}.", attribute="pin", turn=1)
    talk.correct("My pin is 512.", attribute="pin")
    assert VALUE not in json.dumps(sent(talk, chatml))
    assert message(answer) == talk.turns()[0].messages[1]


def test_a_thought_goes_as_a_whole_and_media_leaves_the_marker(
    talk: Conversation, chatml: LocalTokenizer
) -> None:
    """A signature seals every letter, so nothing of a thought can stay."""
    other = {**THOUGHT, "thinking": "Be kind."}
    parts = [THOUGHT, other, {"type": "text", "text": "Ok."}, PICTURE]
    said = {"role": "user", "content": f"My pin is {VALUE}."}
    talk.append(messages=[said, {"role": "assistant", "content": parts}])
    talk.remember(f"My pin is {VALUE}.", attribute="pin", turn=1)
    talk.forget(attribute="pin")
    marker = talk.config.context.redaction_marker
    assert [other, parts[2], {"type": "text", "text": marker}] == sent(talk, chatml)[1]["content"]


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (["saw 447190", "and more"], ["saw #", "and more"]),
        ({"pin": 447190, "ok": True}, {"pin": "#", "ok": True}),
        ([{"type": "text", "text": "saw 447190"}, "447190"], [{"type": "text", "text": "saw #"}, "#"]),
        ('{"pin": "447190"}', '{"pin": "#"}'),
    ],
)  # fmt: skip
def test_a_tool_result_in_any_shape_is_searched(
    talk: Conversation, result: Any, expected: Any
) -> None:
    """Lists of plain texts, objects, and JSON as a text."""
    part = {"type": "tool_result", "tool_use_id": "c", "content": result}
    talk.append(
        messages=[
            {"role": "user", "content": f"My pin is {VALUE}."},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "f"}]},
            {"role": "user", "content": [part]},
        ]
    )
    talk.remember(f"My pin is {VALUE}.", attribute="pin", turn=1)
    talk.forget(attribute="pin")
    found = json.dumps(talk.turns()[0].messages[2].as_dict()["content"][0]["content"])
    assert json.dumps(expected).replace("#", "") == found


def test_a_refusal_and_an_unknown_part_are_searched(talk: Conversation, tmp_path: Path) -> None:
    """A part of a kind that nobody knows is kept, without what was forgotten."""
    parts = [{"type": "refusal", "refusal": f"I keep no {VALUE}."}, {"type": "odd", "x": [VALUE]}]
    said = {"role": "user", "content": f"My pin is {VALUE}."}
    talk.append(messages=[said, {"role": "assistant", "content": parts}])
    talk.remember(f"My pin is {VALUE}.", attribute="pin", turn=1)
    talk.forget(attribute="pin")
    left = [{"type": "refusal", "refusal": "I keep no ."}, {"type": "odd", "x": [""]}]
    assert left == talk.turns()[0].messages[1].as_dict()["content"]
    assert VALUE not in stored(tmp_path)


def test_an_id_that_holds_the_value_gets_another_name(
    talk: Conversation, chatml: LocalTokenizer
) -> None:
    """Calls and results still find each other, and other ids stay as they were given."""
    calls = [
        {"id": id, "type": "function", "function": {"name": "f", "arguments": f'{{"n":{VALUE}}}'}}
        for id in (f"for {VALUE}", "c2")
    ]
    talk.append(
        messages=[
            {"role": "user", "content": f"My pin is {VALUE}."},
            {"role": "assistant", "content": None, "tool_calls": calls},
            *({"role": "tool", "tool_call_id": c["id"], "content": "done"} for c in calls),
            {"role": "assistant", "content": "Done."},
        ]
    )
    talk.remember(f"My pin is {VALUE}.", attribute="pin", turn=1)
    talk.correct("My pin is 512.", attribute="pin")
    marked = sent(talk, chatml)
    talk.forget(attribute="pin")
    erased = sent(talk, chatml)
    for found in (marked, erased):
        assert ["call-1", "c2"] == [call["id"] for call in found[1]["tool_calls"]]
        assert ["call-1", "c2"] == [item["tool_call_id"] for item in found[2:4]]
        arguments = json.loads(found[1]["tool_calls"][0]["function"]["arguments"])
        assert {"n": talk.config.context.redaction_marker} == arguments


def test_what_joins_a_turn_late_is_checked_too(talk: Conversation, chatml: LocalTokenizer) -> None:
    """A result that names what was replaced while it was on its way is redacted."""
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    talk.append(
        messages=[
            {"role": "user", "content": f"My pin is {VALUE}."},
            {"role": "assistant", "content": None, "tool_calls": [call]},
        ]
    )
    talk.remember(f"My pin is {VALUE}.", attribute="pin", turn=1)
    talk.correct("My pin is 512.", attribute="pin")
    late = {"role": "assistant", "content": [THOUGHT, {"type": "text", "text": f"_{VALUE}_"}]}
    result = {"role": "tool", "tool_call_id": "c", "content": json.dumps({"pin": 447190})}
    talk.append(messages=[result, late])
    assert VALUE not in json.dumps(sent(talk, chatml))


def test_a_history_without_what_is_gone_is_still_resumed(talk: Conversation) -> None:
    """A client that still has the value in its calls and thoughts brings nothing back."""
    call = {"id": f"for {VALUE}", "type": "function", "function": {"name": "f", "arguments": f'{{"n":{VALUE}}}'}}  # fmt: skip
    said = [
        {"role": "user", "content": f"My pin is {VALUE}.", "name": VALUE},
        {"role": "assistant", "content": [THOUGHT], "tool_calls": [call], "log": {VALUE: VALUE}},
        {"role": "tool", "tool_call_id": call["id"], "content": "done"},
        {"role": "assistant", "content": f"Done, {VALUE}.", "thinking_blocks": [THOUGHT]},
    ]
    talk.resume(said)
    talk.remember(f"My pin is {VALUE}.", attribute="pin", turn=1)
    talk.forget(attribute="pin")
    before = talk.turns()
    assert () == talk.resume(said)
    assert before == talk.turns()


def test_base64_is_never_searched(talk: Conversation) -> None:
    """Media is kept whole however its bytes are written."""
    data = ("AAAA" * 300) + "/447190/" + ("AAAA" * 300)
    picture = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}
    source = {"type": "image", "source": {"type": "base64", "data": data}}
    talk.append(user=[{"type": "text", "text": "See."}, picture, source], assistant="Nice.")
    talk.remember(f"My pin is {VALUE}.", attribute="pin")
    write.forget(talk._store, talk.scope, attribute="pin")
    assert [picture, source] == talk.turns()[0].messages[0].as_dict()["content"][1:]
