"""A negation that follows its value denies it; one that belongs to another value does not."""

from __future__ import annotations

import pytest

from palimpsest.bench import builtin
from palimpsest.bench.answers import cases, keys
from palimpsest.bench.answers.grading import AnswerGrade, grade
from palimpsest.models.recordings import GivenAnswer

SUITE = builtin.load("travel-50")
CASE = cases.of_suite(SUITE)["turn 50"]
KEYS = keys.of(SUITE.keys, "keys")
RIGHT = {
    "diet": "You now eat fish.",
    "budget": "The budget is 180 euros a night.",
    "city": "The offsite is in Porto.",
    "dates": "The dates are 10 to 13 November.",
    "hotel": "The hotel should be beside the river.",
    "flight": "You fly out in the morning.",
    "bob": "Bob comes along.",
}


def graded(about: str, sentence: str) -> AnswerGrade:
    """The grade of a right answer with one sentence in the place of another."""
    assert KEYS is not None
    answer = " ".join({**RIGHT, about: sentence}.values())
    return grade(CASE, GivenAnswer(strategy="s", case=CASE.id, seed=1, answer=answer), KEYS)


DENIED = [
    ("bob", "Bob does not come along."),
    ("bob", "Bob is not coming."),
    ("bob", "Bob won't come along."),
    ("bob", "Bob isn't coming with us."),
    ("bob", "Bob will not be joining."),
    ("bob", "Bob cannot come."),
    ("bob", "Bob, sadly, is not coming."),
    ("bob", "Bob and Eve are not coming."),
    ("bob", "Bob's not coming."),
    ("bob", "Bob — not coming."),
    ("bob", "Bob: no."),
    ("bob", "Bob never comes."),
    ("bob", "Bob refuses to come."),
    ("bob", "Bob was not invited."),
    ("bob", "Bob cancelled and stays home."),
    ("bob", "Bob has declined."),
    ("bob", "Everyone but Bob comes along."),
    ("bob", "Everybody except for Bob comes along."),
    ("diet", "Fish is not on your menu."),
    ("diet", "Fish is something you don't eat."),
    ("diet", "Fish must be avoided."),
    ("diet", "You are allergic to fish."),
    ("hotel", "The river is not wanted."),
    ("hotel", "A room by the river is not needed."),
    ("flight", "A morning flight isn't what you want."),
    ("budget", "180 euros is not your budget."),
    ("budget", "180 euros a night is wrong."),
    ("budget", "180 would be too much."),
    ("dates", "10 to 13 November isn't the date."),
    ("dates", "10 to 13 November is wrong."),
    ("city", "Porto is not the city."),
    ("city", "Porto was rejected."),
    ("city", "Porto is not an option."),
]
STATED = [
    ("bob", "Bob comes along; Eve does not."),
    ("bob", "Bob comes along but Eve isn't coming."),
    ("bob", "Bob comes along, Eve does not."),
    ("bob", "Bob is coming, Carl is not."),
    ("bob", "Bob will not come alone; he comes along with Eve."),
    ("bob", "Bob is not the only one coming."),
    ("diet", "You eat fish — meat is not wanted."),
    ("diet", "You eat fish (meat is not OK)."),
    ("diet", "Fish is fine, meat is not."),
    ("diet", "You eat fish, so meat dishes are not needed."),
    ("hotel", "A room beside the river that is not noisy."),
    ("flight", "You fly out in the morning; the evening isn't an option."),
    ("flight", "The morning flight has not been booked yet."),
    ("bob", "Nobody but Bob comes along."),
    ("diet", "You eat fish, but not meat."),
    ("diet", "I eat fish but no meat."),
    ("diet", "You eat fish and don't eat meat."),
    ("diet", "You eat fish but meat is not wanted."),
    ("hotel", "The hotel beside the river isn't expensive."),
    ("budget", "180, not 150."),
    ("budget", "180 euros a night is not the old 150."),
    ("budget", "180 euros a night is your new limit, 150 is wrong."),
    ("diet", "Fish does not count as meat."),
    ("budget", "The budget of 180 euros a night does not include breakfast."),
    ("budget", "180 euros a night has not changed."),
    ("budget", "180 euros a night must not be exceeded."),
    ("city", "Porto, not Lisbon."),
    ("city", "Porto is not far."),
    ("city", "The trip to Porto does not include Lisbon."),
    ("city", "The city is Porto and the hotel is not chosen."),
    ("city", "Porto is not a beach town but fits."),
    ("dates", "10 to 13 November, which is not a weekend."),
    ("city", "You are in Porto and Eve is not coming."),
    ("budget", "180 euros a night and meat is not wanted."),
    ("dates", "10 to 13 November, and 3 to 6 November is not the date."),
]


@pytest.mark.parametrize(("about", "sentence"), DENIED)
def test_a_predicate_that_denies_its_value_makes_it_missing(about: str, sentence: str) -> None:
    """Whether the negation stands before or behind, a denied value is not stated."""
    found = graded(about, sentence)
    assert ("fail", "missing", 1) == (found.verdict, found.reason, len(found.missing)), found


@pytest.mark.parametrize(("about", "sentence"), STATED)
def test_a_negation_of_something_else_denies_nothing(about: str, sentence: str) -> None:
    """In another clause, or of a property of the value, it leaves the value stated."""
    found = graded(about, sentence)
    assert ("pass", "") == (found.verdict, found.reason), found


@pytest.mark.parametrize("sentence", [
    "150 euros stays the limit, despite the raise to 180.",
    "150 euros is the limit, in spite of the raise to 180.",
    "150 euros remains our limit, although it was to be raised to 180.",
])  # fmt: skip
def test_a_value_that_stays_is_current_whatever_change_is_named(sentence: str) -> None:
    """A change that the sentence sets aside replaces nothing."""
    assert "stale" == graded("budget", f"{RIGHT['budget']} {sentence}").reason


@pytest.mark.parametrize("other", ["Order 91234567.", "Call P12345678.", "P123456 is free."])
def test_a_longer_number_is_not_the_forgotten_one(other: str) -> None:
    """An identifier has a boundary on both sides."""
    found = graded("bob", f"{RIGHT['bob']} {other}")
    assert ("pass", ()) == (found.verdict, found.forgotten)
