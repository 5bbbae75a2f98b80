"""Texts inside messages are edited in place, and nothing around them changes."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from palimpsest.language.message_text import Edit, edited, roles
from palimpsest.messages import message


def parts_of(content: list[dict[str, Any]], role: str = "user") -> Any:
    """A message with part-list content."""
    return message({"role": role, "content": content})


def test_an_edit_in_a_part_keeps_the_rest_of_the_part() -> None:
    """Keys beside the text, other parts and their order stay as they were given."""
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
    given_parts = [
        {"type": "text", "text": "I am 34.", "cache_control": {"type": "ephemeral"}},
        image,
        {"type": "text", "text": "Second."},
    ]
    found = edited(parts_of(given_parts), 1, [Edit(0, 6, "Third")]).as_dict()["content"]
    assert [given_parts[0], image, {"type": "text", "text": "Third."}] == found
    found = edited(parts_of(given_parts), 0, [Edit(5, 7, "")]).as_dict()["content"]
    assert {**given_parts[0], "text": "I am ."} == found[0]


def test_a_tool_result_inside_a_user_message_is_the_tools() -> None:
    """Only text parts of a user message are the user's own words."""
    mixed = parts_of(
        [
            {"type": "tool_result", "tool_use_id": "c1", "content": "Porto"},
            {"type": "text", "text": "Thanks."},
        ]
    )
    assert ("tool", "user") == roles(mixed)


def test_an_edit_over_two_pieces_of_a_result_draws_them_into_one() -> None:
    """A tool result in pieces reads as joined by newlines, and is edited as such."""
    image = {"type": "image", "source": {}}
    pieces = [{"type": "text", "text": "one two"}, image, {"type": "text", "text": "three four"}]
    whole = parts_of([{"type": "tool_result", "tool_use_id": "c1", "content": pieces}])
    assert ("one two\nthree four",) == whole.texts()
    found = edited(whole, 0, [Edit(4, 13, "X")])
    assert ("one X four",) == found.texts()
    assert [{"type": "text", "text": "one X four"}, image] == json.loads(found.parts[0].json)[
        "content"
    ]


@st.composite
def _edits(draw: st.DrawFn, length: int) -> list[Edit]:
    places = sorted(draw(st.lists(st.integers(0, length), max_size=6)))
    pairs = zip(places[::2], places[1::2], strict=False)
    return [Edit(start, end, draw(st.sampled_from(["", "M", "\n"]))) for start, end in pairs]


@given(
    pieces=st.lists(st.text(alphabet="ab\n", max_size=4), min_size=1, max_size=4), data=st.data()
)
def test_the_text_of_an_edited_result_is_the_edited_text(
    pieces: list[str], data: st.DataObject
) -> None:
    """Record and JSON agree after any edits of a result in pieces."""
    content = [{"type": "text", "text": piece} for piece in pieces]
    whole = parts_of([{"type": "tool_result", "tool_use_id": "c1", "content": content}])
    (text,) = whole.texts()
    edits = data.draw(_edits(len(text)))
    expected, at = "", 0
    for edit in edits:
        expected += text[at : edit.start] + edit.text
        at = edit.end
    expected += text[at:]
    found = edited(whole, 0, edits)
    assert (expected,) == found.texts()
    assert (expected,) == message(found.as_dict()).texts()
