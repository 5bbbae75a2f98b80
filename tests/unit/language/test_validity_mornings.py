"""A morning is no tomorrow, in the languages that have one word for both."""

from __future__ import annotations

import pytest

from palimpsest.language.validity import validity

SAID = "2026-11-30T12:00:00Z"


@pytest.mark.parametrize(
    "text",
    [
        "Prefiero las reuniones por la mañana.", "Mi tren sale a las 8 de la mañana.",
        "Ich trinke jeden Morgen Kaffee.", "Am Morgen trinke ich Tee.",
    ],
)  # fmt: skip
def test_mornings(text: str) -> None:
    """What is said of mornings holds at once."""
    assert validity(text, SAID).valid_from is None


@pytest.mark.parametrize(
    "text", ["Mañana me mudo a Vigo.", "Vuelo mañana por la mañana.", "Morgen ziehe ich um."]
)
def test_tomorrow(text: str) -> None:
    """What is said of tomorrow begins then."""
    assert "2026-12-01T00:00:00+00:00" == validity(text, SAID).valid_from
