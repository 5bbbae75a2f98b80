"""What is no statement of the user about their life, told by its form."""

from __future__ import annotations

import pytest

from palimpsest.write.filters.about import about
from tests.support.seeing import proposing, seeing

ELSEWHERE = (
    ("Review this:\n```\nowner = 'Eve lives in Rome'\n```\nthanks", "Eve lives in Rome"),
    ("My landlord wrote:\n> The rent is 900 euros.\nIs that fair?", "The rent is 900 euros."),
    ("The plan:\n| city | Rome |\n", "city | Rome"),
    (
        "*She opens the door of the lighthouse.* Who is there?",
        "She opens the door of the lighthouse.",
    ),
)
FICTION = (
    "The character lives in a lighthouse.",
    "In the story, Eve moves to Rome.",
    "Le personnage habite un phare.",
    "Die Figur wohnt in einem Leuchtturm.",
    "El personaje vive en un faro.",
    "Il personaggio vive in un faro.",
    "O personagem mora em um farol.",
)
QUESTIONS = (
    "What is the capital of Peru?",
    "Quelle est la capitale du Pérou ?",
    "Was ist die Hauptstadt von Peru?",
    "¿Cuál es la capital de Perú?",
    "Qual è la capitale del Perù?",
    "Qual é a capital do Peru?",
)
KEPT = (
    "I live in Oslo.",
    "Ana works at Acme.",
    "The gate code is 4417.",
    "The story I write is set in Lyon.",
    "The character limit of the form is 280.",
    "The plot of land costs 90,000 euros.",
    "The setting of the wedding is Lyon.",
    "What I like is jazz.",
    "Do you know that I'm vegan?",
    "*Never* book a night train for us.",
    'My motto is "the rent is due".',
    "Mon personnage préféré est Tintin.",
    "Die Geschichte meiner Familie beginnt in Wien.",
)


@pytest.mark.parametrize(("said", "quote"), ELSEWHERE)
def test_somebody_elses_words_are_not_about_the_user(said: str, quote: str) -> None:
    """Code, quoted lines, tables and stage directions, while what stands beside them is."""
    seen = seeing(said)
    assert "not-about-the-user" == about(proposing(seen, quote, quote), seen)
    assert about(proposing(seen, said), seen) is None


@pytest.mark.parametrize("text", [*FICTION, *QUESTIONS])
def test_fiction_and_plain_questions_are_not_about_the_user(text: str) -> None:
    """In six languages."""
    seen = seeing(text)
    assert "not-about-the-user" == about(proposing(seen, text), seen)


def test_an_answer_made_of_a_question_is_not_about_the_user() -> None:
    """The quote is what counts: the user only asked."""
    seen = seeing("What is the capital of Peru?")
    assert "not-about-the-user" == about(proposing(seen, "The user asks about Peru."), seen)


@pytest.mark.parametrize("text", KEPT)
def test_what_the_user_tells_stays(text: str) -> None:
    """Other people and things belong to the user's life, and "I" or "my" always does."""
    seen = seeing(text)
    assert about(proposing(seen, text), seen) is None


def test_a_story_that_is_not_named_as_one_passes() -> None:
    """A known miss: "the story" and "the scene" are said of work and of rooms as well."""
    seen = seeing("The story takes place in Rome.")
    assert about(proposing(seen, "The story takes place in Rome."), seen) is None


def test_a_stressed_sentence_is_taken_for_a_stage_direction() -> None:
    """A known false positive: asterisks around a whole sentence."""
    seen = seeing("*I am allergic to peanuts.*")
    quote = "I am allergic to peanuts."
    assert "not-about-the-user" == about(proposing(seen, quote, quote), seen)
