"""Calls and results find each other by whatever name they have."""

from __future__ import annotations

from palimpsest.language.call_ids import ids_of, without
from palimpsest.messages import check_pairs, message
from palimpsest.types import Turn


def test_an_id_that_is_gone_gets_another_name_in_its_whole_turn() -> None:
    """Both shapes of a call keep their results, and no name is given twice."""

    def call(id: str) -> dict[str, object]:
        return {"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}}

    said = [
        {"role": "user", "content": "?"},
        {"role": "assistant", "content": None, "tool_calls": [call("a=4417"), call("call-1")]},
        {"role": "tool", "tool_call_id": "call-1", "content": "x"},
        {"role": "tool", "tool_call_id": "a=4417", "content": "y"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "b=4417", "name": "f"}]},
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "b=4417", "content": "z"}],
        },
    ]
    turn = Turn(number=1, messages=tuple(map(message, said)))
    found = without(turn, ["a=4417", "b=4417", "a=4417"])
    expected = [(), ("call-2", "call-1"), ("call-1",), ("call-2",), ("call-3",), ("call-3",)]
    assert expected == [ids_of(item) for item in found.messages]
    assert found.messages == tuple(message(item.as_dict()) for item in found.messages)
    check_pairs(found, "turn")
