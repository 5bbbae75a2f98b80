"""What a message carries beside its words is found and edited, and nothing else changes."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.language.carried_texts import carried_texts, with_carried_text
from palimpsest.messages import message
from palimpsest.types import Message

words = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=8,
)  # fmt: skip
objects = st.dictionaries(words, values, max_size=3)


def called(*arguments: Any, **more: Any) -> Message:
    """An assistant message that calls a tool with each of the arguments."""
    calls = [
        {"id": f"c{i}", "type": "function", "function": {"name": "note", "arguments": given}}
        for i, given in enumerate(arguments)
    ]
    return message({"role": "assistant", "content": None, "tool_calls": calls, **more})


def arguments_of(found: Message) -> list[Any]:
    return [call["function"]["arguments"] for call in found.as_dict()["tool_calls"]]


def test_keys_texts_and_numbers_are_texts_in_their_order() -> None:
    """Truth values and null are not; JSON text is read, and what is no JSON is one text."""
    found = called('{"a":["b",1,true,null],"c":{"d":2.5}}', {"e": "f"}, "no { json", "7")
    assert ("a", "b", "1", "c", "d", "2.5", "e", "f", "no { json", "7") == carried_texts(found)


def test_parts_and_unknown_keys_carry_texts_too() -> None:
    """The other shape of a call, then what a server adds to its message."""
    found = message({
        "role": "assistant", "reasoning_content": "think",
        "content": [{"type": "text", "text": "said"},
                    {"type": "tool_use", "id": "c", "name": "note", "input": {"k": "v"}}],
    })  # fmt: skip
    assert ("k", "v", "reasoning_content", "think") == carried_texts(found)
    edited = with_carried_text(found, 3, lambda _: "x").as_dict()
    assert ("x", {"k": "v"}) == (edited["reasoning_content"], edited["content"][1]["input"])
    edited = with_carried_text(found, 1, lambda _: "x").as_dict()
    assert ("think", {"k": "x"}) == (edited["reasoning_content"], edited["content"][1]["input"])


@pytest.mark.parametrize(
    "given_text",
    ['{"a":"x","a":"y"}', '{"a":1e999}', "[NaN]", r'{"a":"\ud800"}', "[" * 100_000, "{", '"x"'],
)
def test_what_could_not_be_written_again_is_one_text(given_text: str) -> None:
    """Nothing that is sent is lost by reading it: twins, endless numbers, half characters."""
    found = called(given_text)
    assert (given_text,) == carried_texts(found)
    assert [given_text + "!"] == arguments_of(with_carried_text(found, 0, lambda t: t + "!"))


def test_two_keys_never_become_one() -> None:
    """An edit that makes a key equal to another keeps both values."""
    found = with_carried_text(called({"": 1, "x": 2}), 2, lambda _: "")
    assert [{"": 1, "_": 2}] == arguments_of(found)


def test_one_text_stays_one_text() -> None:
    """What is left of a text may read as JSON; then it is kept from being read so."""
    found = with_carried_text(called('x{"a": 1}'), 0, lambda text: text[1:])
    assert ('{"a": 1}.',) == carried_texts(found)


@given(first=objects, second=objects, data=st.data())
def test_an_edit_changes_one_text_and_keeps_all_others(
    first: dict[str, Any], second: dict[str, Any], data: st.DataObject
) -> None:
    """Whatever the arguments, as JSON text or as an object: same number, one changed."""
    found = called(json.dumps(first), second, note=["n"])
    texts = carried_texts(found)
    place = data.draw(st.integers(0, len(texts) - 1))
    edited = with_carried_text(found, place, lambda text: text + "\ue000")
    expected = [*texts[:place], texts[place] + "\ue000", *texts[place + 1 :]]
    assert expected == list(carried_texts(edited))
    assert [call.id for call in found.tool_calls] == [call.id for call in edited.tool_calls]
