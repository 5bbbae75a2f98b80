"""Sentences go whole: what is left of one that lost its value would tell something else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.language.occurrences import Span
from palimpsest.language.whole_sentences import whole_sentences, without_sentences


def left(text: str, *values: str) -> str:
    spans = [Span(text.index(value), text.index(value) + len(value)) for value in values]
    return without_sentences(text, spans)[0]


@pytest.mark.parametrize(
    ("text", "value", "kept"),
    [
        ("They met. The PIN is 4417. It rained.", "4417", "They met. It rained."),
        ("The PIN is 4417. It rained.", "4417", "It rained."),
        ("They met. The PIN is 4417.", "4417", "They met."),
        ("The PIN is 4417", "4417", ""),
        ("One line\nThe PIN is 4417\n\nAnother", "4417", "One line\n\nAnother"),
        ("They met Dr. Haldane at noon. It rained.", "Haldane", "It rained."),
        ("Der Klempner kommt am 20. Dezember. Es regnet.", "Dezember", "Es regnet."),
        ("It costs approx. 8080 in all. Fine.", "8080", "Fine."),
        ("She uses a key, e.g. 4417 for now. Fine.", "4417", "Fine."),
        ("The port is 8080. 3 people came. Fine.", "8080", "Fine."),
        ("J. Okafor called. It rained.", "Okafor", "It rained."),
        ('He said "It is 4417. Keep it." and left. It rained.', "4417", "It rained."),
        ("He said (It is 4417. Keep it.) and left. It rained.", "Keep", "It rained."),
        ("Sie sagte „Es ist 4417. Behalt es.“ und ging. Es regnet.", "4417", "Es regnet."),
        ("Elle a dit « C'est 4417. Garde-le. » hier. Il pleut.", "4417", "Il pleut."),
        ("住んでいるのは大阪です。雨です。", "大阪", "雨です。"),
        ("¿Dónde? Vive en Gijón. ¡Bien!", "Gijón", "¿Dónde? ¡Bien!"),
        ("Really?! The port is 8080... And so on.", "8080", "Really?! And so on."),
    ],
)  # fmt: skip
def test_the_whole_sentence_goes(text: str, value: str, kept: str) -> None:
    """A stop that may be none, of an abbreviation, an ordinal or inside quotes, ends nothing."""
    assert kept == left(text, value)


def test_a_text_that_nothing_touches_stays_as_it_is() -> None:
    """Blanks and all."""
    assert ("  Two.  Spaces. \n", ()) == without_sentences("  Two.  Spaces. \n", [])


def test_a_value_over_two_sentences_takes_both() -> None:
    """Neither is left in part."""
    text = "It is blue. Then red. Fine."
    assert "Fine." == without_sentences(text, [Span(6, 14)])[0]


_TEXT = st.lists(
    st.sampled_from(["They met. ", "Dr. ", "8080 ", "(Well. ", "So.) ", "It is 20. ", "Mai ", "\n",
                     "“Hm. ", "Yes.” ", "a ", "B. ", "Fine! "]), max_size=12
).map("".join)  # fmt: skip


@given(text=_TEXT, data=st.data())
def test_what_is_kept_are_sentences_and_nothing_else(text: str, data: st.DataObject) -> None:
    """Every sentence is kept or gone, whole, in its order, and none that was touched is kept."""
    spans = []
    if text:
        start = data.draw(st.integers(0, len(text) - 1))
        spans = [Span(start, data.draw(st.integers(start + 1, len(text))))]
    kept, gone = without_sentences(text, spans)
    for sentence in (text[a:b] for a, b in whole_sentences(text)):
        assert sentence in kept or sentence in gone
    touched = [text[a:b] for a, b in whole_sentences(text)
               if any(a < s.end and s.start < b for s in spans)]  # fmt: skip
    assert touched == list(gone)
    untouched = [text[a:b] for a, b in whole_sentences(text)
                 if not any(a < s.end and s.start < b for s in spans)]  # fmt: skip
    if spans:
        assert "".join("".join(untouched).split()) == "".join(kept.split())
