"""A value is found in every form that people write it in, and in nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from palimpsest.language.surface_forms import Forms, find, keys_of

DATA = Path(__file__).resolve().parents[2] / "data" / "surface_forms"


def rows(name: str) -> list[tuple[str, str]]:
    """Pairs of a value and a text, one a line."""
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    return [tuple(json.loads(line)) for line in lines]


@pytest.mark.parametrize(("value", "text"), rows("same.jsonl"))
def test_a_text_that_says_the_value_in_another_form_is_found(value: str, text: str) -> None:
    """Blanks, marks, case, Unicode forms, words for digits, languages and scripts."""
    assert find(value, text)


@pytest.mark.parametrize(("value", "text"), rows("other.jsonl"))
def test_a_text_that_says_something_else_is_left_alone(value: str, text: str) -> None:
    """Longer identifiers, longer names, dishes, other dates and amounts."""
    assert () == find(value, text)


def test_a_span_covers_the_form_and_no_more() -> None:
    """Offsets are into the text as it was given, whatever was folded in it."""
    text = "Ok: ４４\u200b１７, four four one seven &amp; 44 17."
    assert ["４４\u200b１７", "four four one seven", "44 17"] == [
        text[start:end] for start, end in find("4417", text)
    ]


def test_a_short_number_has_no_form_at_all() -> None:
    """ "Two" is said too often to be anybody's room number."""
    assert frozenset() == keys_of("2")
    assert () == find("12", "There were twelve of us in room 12.")


def test_several_values_are_found_together() -> None:
    """What overlaps is one span."""
    forms = Forms(["Ana Ruiz", "ana.ruiz@mail.io"])
    text = "Ana Ruiz <ana.ruiz@mail.io>"
    assert ["Ana Ruiz", "ana.ruiz@mail.io"] == [text[s:e] for s, e in forms.spans(text)]
