"""The value of a statement is the shortest span that holds its carriers."""

from __future__ import annotations

import pytest

from palimpsest.language.values import LONGEST, value_of


@pytest.mark.parametrize(
    ("statement", "value"),
    [
        ("My passport number is P1234567.", "P1234567"),
        ("The budget is 150 euros per night.", "150 euros"),
        ("Raise the budget to 180 euros per night.", "180 euros"),
        ("The rate is $1,200.50 a head.", "$1,200.50"),
        ("It went from 100 to 150 euros.", "100 to 150 euros"),
        ("It costs 5% more.", "5%"),
        ("I have 3 cats.", "3 cats"),
        ("They sleep in room 12.", "room 12"),
        ("The service listens on 8080.", "8080"),
    ],
)
def test_numbers_come_with_their_units(statement: str, value: str) -> None:
    """A number carries a statement together with the unit, currency or noun around it."""
    assert value == value_of(statement)


@pytest.mark.parametrize(
    ("statement", "value"),
    [
        ("We travel from 3 to 6 November.", "3 to 6 November"),
        ("Move the trip to 10 to 13 November.", "10 to 13 November"),
        ("The launch is on 2026-11-30.", "2026-11-30"),
        ("We leave on May 3rd, 2027.", "May 3rd, 2027"),
        ("The review is on Friday at 10:30.", "Friday at 10:30"),
    ],
)
def test_dates_are_values(statement: str, value: str) -> None:
    """Days, months and ranges of them are one carrier."""
    assert value == value_of(statement)


@pytest.mark.parametrize(
    ("statement", "value"),
    [
        ("The ticket is TKT-100.", "TKT-100"),
        ("My email is a.b@acme.io.", "a.b@acme.io"),
        ("The page is https://acme.io/a?b=1.", "https://acme.io/a?b=1"),
        ("Look into /etc/hosts first.", "/etc/hosts"),
        ("It is defined in src/app.py.", "src/app.py"),
        ("We use 3.11.7 here.", "3.11.7"),
        ("The bucket is prod_eu.", "prod_eu"),
        ("Decision: the store is MySQL.", "MySQL"),
        ("Please call +351 912 345 678.", "+351 912 345 678"),
        ("My PIN is 9431.", "9431"),
        ("The WiFi key is sk-live-abc123", "sk-live-abc123"),
        ("My SSN is 123-45-6789.", "123-45-6789"),
        ("The IBAN is PT50 0002 0123 1234.", "PT50 0002 0123 1234"),
    ],
)
def test_identifiers_are_values(statement: str, value: str) -> None:
    """Tickets, addresses, paths, versions and mixed-case words carry a statement."""
    assert value == value_of(statement)


@pytest.mark.parametrize(
    ("statement", "value"),
    [
        ("We are going to Porto.", "Porto"),
        ("Bob will join us on the second day.", "Bob"),
        ("Visit Porto please", "Porto"),
        ("My wife is called Ana Maria Silva.", "Ana Maria Silva"),
        ("New York is the venue", "New York"),
        ("Ana's room is upstairs.", "Ana"),
        ("Correction: We fly to Rome.", "Rome"),
    ],
)
def test_names_are_values_where_they_are_names(statement: str, value: str) -> None:
    """A capital letter makes a name, at a sentence start only before a fitting verb."""
    assert value == value_of(statement)


@pytest.mark.parametrize(
    ("statement", "value"),
    [
        ("Password is hunter2.", "hunter2"),
        ("City is Porto.", "Porto"),
        ("Hotel is the Ritz.", "Ritz"),
        ("Salary is 85,000 euros.", "85,000 euros"),
        ("Code is 4417-B.", "4417-B"),
        ("Phone was 555-123-456.", "555-123-456"),
        ("Deadline is Friday.", "Friday"),
        ("My Account is 12345678.", "12345678"),
        ("Ana works at Acme.", "Acme"),
        ("Ana's PIN is 4417.", "4417"),
        ("Bob arrives tomorrow.", "Bob"),
        ("Porto is the city for 2027.", "Porto"),
        ("NASA is the client.", "NASA"),
        ("The unit becomes Q&A.", "Q&A"),
    ],
)
def test_a_word_that_only_opens_the_sentence_is_not_the_value(statement: str, value: str) -> None:
    """It is a name where nothing else says more, and never where it names a kind of thing."""
    assert value == value_of(statement)


def test_the_attribute_is_never_its_own_value() -> None:
    """What a statement is about stands before its verb; elsewhere the word may be the value."""
    assert None is value_of("Mascot is lovely.", "mascot")
    assert "Felix" == value_of("Our Gryphon is Felix.", "gryphon")
    assert None is value_of("Ana is vegetarian.", "ana-diet")
    assert "Porto" == value_of("We go to Porto.", "porto")


@pytest.mark.parametrize(
    "statement",
    [
        "Deadline is tomorrow.",
        "Hotel is near the river.",
        "City is nice.",
        "My password is wrong.",
        "The key is under the mat.",
        "The code is ready.",
        "I am vegetarian.",
        "I eat fish now, but still no meat.",
        "Book the morning flight if possible.",
        "I want a hotel near the river.",
        "Let us meet tomorrow.",
        "My age is 7.",
        "Never per night.",
        "",
    ],
)
def test_a_statement_without_carriers_has_no_value(statement: str) -> None:
    """Negations, bare units, relative days and small bare numbers would match everywhere."""
    assert value_of(statement) is None


def test_a_value_spans_from_the_first_carrier_to_the_last() -> None:
    """Several carriers make one contiguous value."""
    assert "PostgreSQL, not MySQL" == value_of("Correction: the store is PostgreSQL, not MySQL.")


def test_a_pasted_document_has_no_value() -> None:
    """A statement longer than the limit is a document, and no span of it is its value."""
    words = "The ticket is TKT-100. "
    assert value_of(words * (LONGEST // len(words))) is not None
    assert value_of(words * (LONGEST // len(words) + 1)) is None
