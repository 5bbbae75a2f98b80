"""A proposal holds no number, date, name or identifier that the turn does not hold."""

from __future__ import annotations

import pytest

from palimpsest.write.filters.invented import invented
from tests.support.seeing import proposing, seeing

INVENTED = (
    ("I have three cats", "The user has 4 cats"),
    ("I have a daughter", "The user has two daughters"),
    ("i live in oslo", "The user lives in Bergen"),
    ("I fly tomorrow", "The user flies on 2026-12-05"),
    ("I fly tomorrow", "The user flies on Friday"),
    ("My mail is bob@acme.org", "The user's mail is ana@acme.org"),
    ("My PIN is 4417", "The user's PIN is 4471"),
    ("J'habite ici", "L'utilisateur habite à Lyon"),
    ("Ich wohne hier", "Der Nutzer wohnt in Berlin"),
    ("Vivo aquí", "El usuario vive en Sevilla"),
    ("Abito qui", "L'utente abita a Torino"),
    ("Moro aqui", "O usuário mora em Lisboa"),
)
SAID = (
    ("I have three cats", "The user has 3 cats"),
    ("budget 1,500 euros", "The budget is 1500 euros"),
    ("my pin is 44 17", "The user's PIN is 4417"),
    ("i live in oslo", "The user lives in Oslo"),
    ("I fly tomorrow", "The user flies on 2026-12-01"),
    ("I fly tomorrow", "The user flies on Tuesday"),
    ("my boss met ana", "Ana's boss is the user's boss"),
    ("um 14 Uhr 30", "Der Termin ist um 14:30"),
    ("Ich esse kein Fleisch", "Der Nutzer ist Vegetarier"),
    ("j'habite lyon", "L'utilisateur vit à Lyon"),
    ("vivo en sevilla desde mayo", "El usuario vive en Sevilla desde mayo"),
    ("abito a torino", "L'utente abita a Torino"),
    ("moro em lisboa", "O usuário mora em Lisboa"),
)
FALSE_ALARMS = (
    # Another name of the same place or people.
    ("I live in NYC", "The user lives in New York"),
    ("I come from France", "The user is from the French coast"),
)


@pytest.mark.parametrize(("said", "text"), [*INVENTED, *FALSE_ALARMS])
def test_a_carrier_that_was_not_said_is_invented(said: str, text: str) -> None:
    """Whatever its kind, in six languages."""
    seen = seeing(said)
    assert "invented" == invented(proposing(seen, text), seen)


@pytest.mark.parametrize(("said", "text"), SAID)
def test_a_carrier_in_another_form_was_said(said: str, text: str) -> None:
    """Marks, letters, case and the date of a relative day are forms of one carrier."""
    seen = seeing(said)
    assert invented(proposing(seen, text), seen) is None


def test_a_value_beside_the_text_is_not_looked_at() -> None:
    """A label gives one exactly where the words do not show it."""
    seen = seeing("A hundred and fifty a night, please.")
    proposal = proposing(seen, "A hundred and fifty a night, please.", value="150 euros")
    assert invented(proposal, seen) is None


def test_a_pronoun_is_not_resolved_from_earlier_turns() -> None:
    """A known false positive: the name was said, but not in the words that are quoted."""
    seen = seeing("She moved to Lyon.", before=(("Ana is my sister.", "Noted."),))
    assert "invented" == invented(proposing(seen, "The user's sister Ana moved to Lyon."), seen)


def test_a_name_that_opens_the_text_is_not_looked_at() -> None:
    """A known miss: any word may open a text."""
    seen = seeing("She moved to Lyon.")
    assert invented(proposing(seen, "Ana moved to Lyon."), seen) is None
