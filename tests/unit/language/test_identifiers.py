"""An identifier gives a statement away by itself; what everybody says does not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.language.identifiers import identifiers
from palimpsest.language.values import LONGEST


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("My PIN for the Santander card is 4417.", ["4417"]),
        ("It is P1234567 and it expires in May 2031.", ["P1234567"]),
        ("I am Anna, my number is 555-123-456.", ["555-123-456", "555123456"]),
        ("TKT-100 is due Monday.", ["TKT-100"]),
        ("My seat on the Porto flight is 14C.", ["14C"]),
        ("Send it to a@b.io, /etc/hosts or https://x.io/a?b=1", ["a@b.io", "/etc/hosts", "https://x.io/a?b=1"]),
        ("Acme pays me 85,000 euros.", ["85,000", "85000"]),
        ("Acme pays 2000 euros in 2026.", ["2000 euros"]),
        ("Call +1 (415) 555-2671.", ["+1 (415) 555-2671", "14155552671"]),
        ("Call 555-1234.", ["555-1234", "5551234"]),
        ("We run 3.11.7 on acme.io.", ["3.11.7", "acme.io"]),
        ("Ana said: my password is swordfish.", ["swordfish"]),
    ],
)  # fmt: skip
def test_what_is_somebodys_alone_is_an_identifier(statement: str, found: list[str]) -> None:
    """Secrets, mixes of letters and digits, addresses, paths and long numbers."""
    assert sorted(found) == sorted(identifiers(statement))


@pytest.mark.parametrize(
    "statement",
    [
        "Ana Silva goes to Porto on 3 November 2026.",
        "The 3rd run took 10ms and 2 GB in Q3 at 10:30.",
        "I want 150 euros and 2 tickets.",
        "It was 1.5 million in 1999, and 100-150 or 12.75 in 2019-2023.",
        "",
    ],
)
def test_what_everybody_says_is_none(statement: str) -> None:
    """Names, dates, times, years, ordinals, small numbers and quantities."""
    assert () == identifiers(statement)


def test_a_pasted_document_has_none() -> None:
    """Its identifiers are not a fact about anybody."""
    assert () == identifiers("The ticket is TKT-100. " * LONGEST)


@given(st.text(alphabet="aB3 .-/@_:,€+()47\nP", max_size=50))
def test_an_identifier_stands_in_its_statement(statement: str) -> None:
    """As it is written, or as the digits of a number that is written in groups."""
    digits = "".join(filter(str.isdigit, statement))
    for found in identifiers(statement):
        assert found in statement or found in digits
