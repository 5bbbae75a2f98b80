"""Redacted spans show the marker; erased spans are gone."""

from __future__ import annotations

from palimpsest.language.redact_text import erased, redacted
from palimpsest.messages import message
from palimpsest.types import Redaction, Turn

MARKER = "[left out]"


def span(start: int, end: int, *, message: int = 0, text: int = 0) -> Redaction:
    """A span of turn 1."""
    return Redaction(turn=1, message=message, text=text, start=start, end=end, reason="corrected")


def turn(*said: tuple[str, object]) -> Turn:
    """Turn 1 with messages of given roles and contents."""
    made = tuple(message({"role": role, "content": content}) for role, content in said)
    return Turn(number=1, messages=made)


def test_a_whole_text_becomes_the_marker() -> None:
    """A span over everything leaves the marker and nothing else."""
    found = redacted(turn(("user", "I am 34."), ("assistant", "Noted.")), [span(0, 8)], MARKER)
    assert (MARKER, "Noted.") == (found.user, found.assistant)


def test_a_span_without_length_shows_the_marker() -> None:
    """What was forgotten has only a place left, and the place is shown."""
    assert MARKER == redacted(turn(("user", "")), [span(0, 0)], MARKER).user
    assert f"My {MARKER} is" == redacted(turn(("user", "My  is")), [span(3, 3)], MARKER).user


def test_spans_in_any_order_are_all_applied() -> None:
    """Offsets name the text as it is stored, whatever the order of the spans."""
    found = redacted(turn(("user", "a1 b2 c3")), [span(6, 8), span(0, 2)], "M")
    assert "M b2 M" == found.user


def test_texts_inside_parts_are_redacted_in_place() -> None:
    """A message keeps its shape: media and other parts stand where they stood."""
    image = {"type": "image_url", "image_url": {"url": "u"}}
    said = turn(("user", [image, {"type": "text", "text": "I am 34."}]))
    found = redacted(said, [span(5, 7)], MARKER)
    assert [image, {"type": "text", "text": f"I am {MARKER}."}] == found.messages[0].as_dict()[
        "content"
    ]


def test_a_turn_without_spans_is_the_same_turn() -> None:
    """Nothing redacted, nothing changed."""
    said = turn(("user", "a"), ("assistant", "b"))
    assert said == redacted(said, [], MARKER)


def test_erased_text_is_gone() -> None:
    """Erasing takes the characters out and leaves the message valid."""
    found = erased(
        turn(("user", "I am 34."), ("assistant", "34")), [span(5, 7), span(0, 2, message=1)]
    )
    assert ["I am .", ""] == [item.content for item in found.messages]
