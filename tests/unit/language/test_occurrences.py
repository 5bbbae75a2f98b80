"""A value is found where a person reads it, and never inside something longer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.language.occurrences import Needles, folded, needle, spans


def found(value: str, text: str, *, loose_end: bool = False) -> list[str]:
    """The occurrences of a value, as they stand in the text."""
    looked_for = needle(value, loose_end=loose_end)
    assert looked_for is not None
    return [text[start:end] for start, end in spans(looked_for, folded(text))]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("TKT-100", "TKT-1000"),
        ("TKT-100", "TKT-100-A"),
        ("TKT-100", "TKT-100.5"),
        ("TKT-100", "OLD-TKT-100"),
        ("TKT-100", "xTKT-100"),
        ("150 euros", "2,150 euros"),
        ("150 euros", "0.150 euros"),
        ("150", "1500"),
        ("10", "10:30"),
        ("6 November", "3-6 November"),
        ("b@acme.io", "a.b@acme.io"),
        ("b@acme.io", "b@acme.io.uk"),
        ("b@acme.io", "a+b@acme.io"),
        ("acme.io", "b@acme.io"),
        ("Porto", "Portos"),
        ("Porto", "Porto.com"),
        ("Jean", "Jean-Pierre"),
        ("src/app", "src/app/main"),
        ("Zoe", "Zoe\u0308"),
        ("prod", "prod_eu"),
        ("3.11", "3.11.7"),
    ],
)
def test_nothing_is_found_inside_something_longer(value: str, text: str) -> None:
    """A longer identifier, name or number is another thing."""
    assert [] == found(value, text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("TKT-100", "It is TKT-100."),
        ("TKT-100", "(TKT-100)"),
        ("TKT-100", "TKT-100,TKT-200"),
        ("TKT-100", "see TKT-100.Thanks"),
        ("TKT-100", "https://tracker/TKT-100/log"),
        ("Porto", "Porto's river"),
        ("Porto", "a Porto-based team"),
        ("Porto", "a pre-Porto plan"),
        ("Porto", "我在Porto市"),
        ("烤鸭", "北京烤鸭"),
        ("서울", "서울에 갑니다"),
        ("C++", "C++17"),
        ("$150", "US$150"),
        ("150 euros", "TKT-1000 or 150 euros!"),
    ],
)
def test_a_value_is_found_at_word_boundaries(value: str, text: str) -> None:
    """Punctuation, possessives, brackets and unspaced scripts do not hide a value."""
    assert [value] == found(value, text)


def test_escaped_forms_are_found() -> None:
    """A value with ``& < >`` is found raw, escaped, and half escaped."""
    text = "R&D <x>, R&amp;D &lt;x&gt;, R&D &lt;x>"
    assert ["R&D <x>", "R&amp;D &lt;x&gt;", "R&D &lt;x>"] == found("R&D <x>", text)


def test_invisible_characters_do_not_hide_a_value() -> None:
    """Zero-width and direction characters inside an occurrence belong to it."""
    hidden = "P12\u200b34\u202e5\u00ad67"
    assert [hidden] == found("P1234567", f"number {hidden}.")
    assert [] == found("P123", "P123\u200b4567")


def test_blanks_and_compositions_do_not_hide_a_value() -> None:
    """Line breaks between words and decomposed letters read the same."""
    assert ["150\n euros", "150\u00a0euros"] == found("150 euros", "150\n euros, 150\u00a0euros")
    assert ["Zoe\u0308", "Zo\u00eb"] == found("Zo\u00eb", "Zoe\u0308 Zo\u00eb Zoe")


def test_a_loose_end_lets_the_full_stop_be_absent() -> None:
    """A statement quoted inside a sentence has lost its full stop."""
    text = 'You said "I am vegetarian", and: I am vegetarian.'
    assert ["I am vegetarian", "I am vegetarian."] == found(
        "I am vegetarian.", text, loose_end=True
    )
    assert ["I am vegetarian."] == found("I am vegetarian.", text)


def test_a_pasted_document_is_found_whole_or_not_at_all() -> None:
    """A statement of any length is found escaped and rewrapped, and not with one word changed."""
    document = " ".join(f"Line {n} of <the é> log & more;" for n in range(2_000)) + "."
    escaped = document.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    rewrapped = escaped.replace("; ", ";\n   ").replace("é", "e\u0301")
    assert [rewrapped] == found(document, f"He said: {rewrapped} So there.")
    assert [rewrapped[:-1]] == found(document, f"({rewrapped[:-1]})", loose_end=True)
    assert [] == found(document, rewrapped.replace("Line 1999", "Line 2999"))
    assert [] == found(document, rewrapped[:-1] + "5")
    assert ["x" * 5_000] == found("x" * 5_000, "a " + "x" * 5_000 + " b")
    assert [] == found("x" * 5_000, "x" * 5_001)


def test_a_text_without_words_is_no_needle() -> None:
    """Blank and invisible texts cannot be looked for."""
    assert [None, None, None] == [needle(""), needle(" \n"), needle("\u200b\u2060")]


_LETTERS = "ab1 -.,&<>é\u0301\u200b烤A_@/:"


@given(
    values=st.lists(st.text(alphabet=_LETTERS, min_size=1, max_size=5), min_size=1, max_size=4),
    text=st.text(alphabet=_LETTERS, max_size=40),
)
def test_many_needles_find_what_each_finds(values: list[str], text: str) -> None:
    """Looking for many at once finds exactly what looking for each finds."""
    needles = [item for item in map(needle, values) if item]
    looked = folded(text)
    one_by_one = {span for item in needles for span in spans(item, looked)}
    assert one_by_one == set(Needles(needles).spans(looked))


@given(
    value=st.text(alphabet=_LETTERS, min_size=1, max_size=6),
    before=st.text(alphabet=_LETTERS, max_size=10),
    after=st.text(alphabet=_LETTERS, max_size=10),
)
def test_a_value_between_blanks_is_always_found(value: str, before: str, after: str) -> None:
    """Blanks around a value make it stand alone, whatever else the text holds."""
    looked_for = needle(value)
    if looked_for is None or value != value.strip():
        return
    text = f"{before} {value} {after}"
    hits = list(spans(looked_for, folded(text)))
    start = len(before) + 1
    assert any(s < start + len(value) and start < e for s, e in hits)
