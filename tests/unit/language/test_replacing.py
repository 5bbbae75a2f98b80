"""Replacing phrases: their slots are exact, and what only sounds like one is none."""

from __future__ import annotations

import itertools

import pytest

from palimpsest.language import packs
from palimpsest.language.replacing import replacements
from palimpsest.language.topics import place, topic, topic_words, values

EN, FR = packs.load("en"), packs.load("fr")


def slots(sentence: str, language: str = "en") -> list[tuple[str | None, str | None]]:
    return [
        tuple(slot and sentence[slice(*slot)] for slot in (found.old, found.new))  # type: ignore[misc]
        for found in replacements(sentence, packs.load(language))
    ]


@pytest.mark.parametrize(
    ("sentence", "old", "new"),
    [
        ("We switched from MySQL to PostgreSQL.", "MySQL", "PostgreSQL"),
        ("We moved the billing store from MySQL to PostgreSQL and rested.", "MySQL", "PostgreSQL"),
        ("It replaces MySQL because we must.", "MySQL", "It"),
        ("Anna left and PostgreSQL replaces MySQL.", "MySQL", "PostgreSQL"),
        ("For billing, we use PostgreSQL instead of MySQL.", "MySQL", "we use PostgreSQL"),
        ("Instead of tea, bring coffee.", "tea", "bring coffee"),
        ("Raise the pool from 10 to 20.", "10", "20"),
        ("Replace v1.2 with v1.3!", "v1.2", "v1.3"),
        ("MySQL is no longer used.", "MySQL", None),
        ("We no longer use MySQL.", "use MySQL", None),
        ("The review moved to Thursday.", None, "Thursday"),
        ("Actually, it is Thursday.", None, "it is Thursday"),
        ("We switched from A and B to C.", "A and B", "C"),
        ("We move from 3 May to 5 May.", "3 May", "5 May"),
    ],
)
def test_the_slots_hold_what_goes_and_what_comes(
    sentence: str, old: str | None, new: str | None
) -> None:
    """Clauses, reasons and full stops stay outside."""
    assert [(old, new)] == slots(sentence)


@pytest.mark.parametrize(
    ("sentence", "old", "new"),
    [
        ("Nous passons de MySQL à PostgreSQL.", "MySQL", "PostgreSQL"),
        ("Il remplace MySQL car il le faut par ligne.", "MySQL", "Il"),
        ("Nous n’utilisons plus d'images.", "d'images", None),
        ("La réunion passe à jeudi.", None, "jeudi"),
        ("Prenons le train au lieu de l'avion.", "l'avion", "Prenons le train"),
    ],
)
def test_the_slots_of_french(sentence: str, old: str | None, new: str | None) -> None:
    """Elisions and either apostrophe are read."""
    assert [(old, new)] == slots(sentence, "fr")


@pytest.mark.parametrize(
    "sentence",
    [
        "Should we switch from A to B?", "We might switch from A to B.", "We are not moving to B.",
        "B does not replace A.", 'He said "B replaces A" once.', "> B replaces A", "« B replaces A »",
        "It is a placement from the fromage to tomorrow.", "Run `sed replaces A` now.",
        "We may switch from A to B.", "If B replaces A, we stop.",
    ],
)  # fmt: skip
def test_what_only_sounds_like_one_is_none(sentence: str) -> None:
    """Questions, suppositions, denials, quotations, code, and parts of other words."""
    assert [] == slots(sentence)


def test_values_are_spans_in_order_and_apart() -> None:
    """Identifiers, quantities, dates and names; a hyphenated word before a noun is none."""
    said = "Run ledger-export, not row-level checks, `x y`, 3 May and 5 km."
    found = [(said[v.start : v.end], v.kind) for v in values(said, EN)]
    assert ("ledger-export", "identifier") == found[0]
    assert ("`x y`", "identifier") in found
    assert ("3 May", "date") in found
    assert ("5 km", "number") in found
    assert "row-level" not in str(found)
    spans = [value.span for value in values(said, EN)]
    assert all(a[1] <= b[0] for a, b in itertools.pairwise(spans))
    french = "La revue est mardi 3 novembre à 14 h 30."
    assert {"14 h 30": "number", "3 novembre": "date", "mardi": "date"} == {
        french[v.start : v.end]: v.kind for v in values(french, FR)
    }


def test_a_value_stands_only_as_a_whole() -> None:
    """Not inside a longer identifier, number or compound."""
    assert (4, 6) == place("10", "The 10.")
    for text in ("The 10.5", "The 100", "x-10", "The 10-b", "v10"):
        assert place("10", text) is None


def test_a_topic_is_what_is_left() -> None:
    """Words of choosing and replacing, function words and values are not it."""
    said = "We switched the billing reviews from MySQL to PostgreSQL."
    spans = [value.span for value in values(said, EN)]
    assert {"bill", "review"} == topic(topic_words(said, EN), spans)
