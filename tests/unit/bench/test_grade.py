"""A fact is in a request when its exact text stands in a message, raw or as a quoted line."""

from typing import Any

import pytest

from palimpsest import messages
from palimpsest.bench.grade import Grade, grade
from palimpsest.bench.suite import Checkpoint


def graded(sent: list[dict[str, Any]], **lists: tuple[str, ...]) -> Grade:
    point = Checkpoint(after=1, question="?", required=lists.pop("required", ()), **lists)
    return grade(messages.messages(sent), point)


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


def test_each_list_is_graded_by_presence() -> None:
    """Found counts required facts; stale and deleted list what should not be there."""
    found = graded(
        [user("The room is Birch. The pin is 4711.")],
        required=("Birch", "noon"), stale=("Alder",), deleted=("4711",),
    )  # fmt: skip
    assert (1, 2) == (found.found, found.required)
    assert (("noon",), (), ("4711",)) == (found.missing, found.stale, found.deleted)


def test_a_present_fact_names_every_message_that_holds_it() -> None:
    """Places are the indexes of the messages, and only of facts that are present."""
    sent = [user("Birch"), {"role": "assistant", "content": "Elm"}, user("Birch and Birch")]
    assert {"Birch": (0, 2)} == graded(sent, required=("Birch", "Alder")).places


@pytest.mark.parametrize("text", ["R&D <core>", "R&amp;D &lt;core&gt;"], ids=["raw", "escaped"])
def test_a_fact_counts_raw_and_escaped(text: str) -> None:
    """Quoted lines escape & < >, and a fact in them is present all the same."""
    assert 1 == graded([user(f"Cost centre: {text}.")], required=("R&D <core>",)).found


def test_a_half_escaped_fact_is_not_there() -> None:
    """Only the two whole forms count, so no third spelling passes by chance."""
    assert 0 == graded([user("R&amp;D <core>")], required=("R&D <core>",)).found


def test_case_and_spaces_are_part_of_the_text() -> None:
    """The grader compares exactly."""
    assert 0 == graded([user("birch  & co")], required=("Birch & co",)).found


def test_a_fact_with_a_line_break_counts_as_its_quoted_line_shows_it() -> None:
    """A note shows a line break as an escape, and that is the same fact."""
    assert 1 == graded([user("- [#1] one\\ntwo")], required=("one\ntwo",)).found


def test_two_messages_never_make_a_fact_together() -> None:
    """A fact whose halves stand in two messages is not in the request."""
    assert 0 == graded([user("The room"), user("is Birch")], required=("The room is Birch",)).found


def test_text_parts_count_as_the_template_joins_them() -> None:
    """Parts of one message are one text."""
    parts = [{"type": "text", "text": "The room "}, {"type": "text", "text": "is Birch"}]
    assert 1 == graded([user(parts)], required=("room is Birch",)).found


@pytest.mark.parametrize("arguments", ['{"pin": "47\\u00311"}', '{"pin": 4711}', "4711 (broken"])
def test_the_arguments_of_a_tool_call_are_sent_too(arguments: str) -> None:
    """A forgotten value inside a call leaks, however its JSON writes it."""
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": arguments}}
    sent = [{"role": "assistant", "content": None, "tool_calls": [call]}]
    assert ("4711",) == graded(sent, deleted=("4711",)).deleted


def test_thinking_and_tool_results_count_and_pictures_do_not() -> None:
    """Everything that a model reads as text counts; the bytes of a picture are no text."""
    sent = [
        user([
            {"type": "tool_result", "tool_use_id": "t", "content": "the code 4711"},
            {"type": "image_url", "image_url": {"url": "data:4712"}},
        ]),
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "so 4713"}]},
    ]  # fmt: skip
    assert ("4711", "4713") == graded(sent, deleted=("4711", "4712", "4713")).deleted
