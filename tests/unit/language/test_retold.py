"""A statement without a value is known again in other words, and in nobody else's."""

from __future__ import annotations

import pytest

from palimpsest.language.retold import Retold

DIABETIC = "I am diabetic."
TOLD = (
    (DIABETIC, "Noted, you are diabetic."), (DIABETIC, "As a diabetic, avoid sugar."),
    ("I have a peanut allergy.", "So no nuts: your peanut allergy is noted."),
    ("I'm pregnant.", "Congratulations on being pregnant!"),
    ("Je suis enceinte.", "Vous êtes donc enceinte."),
    ("Ich bin Vegetarierin.", "Gut, Sie sind Vegetarierin."),
    ("sou vegetariano.", "ok, vegetariano"), ("Ich bin schwanger.", "Schwanger?"),
    ("soy diabético.", "Ya no sé que eres diabético."),
)  # fmt: skip
OTHERS = (
    (DIABETIC, "Oslo is cold."), ("I have a peanut allergy.", "Peanut butter is on the list."),
    ("I love dark chocolate.", "It gets dark early."), ("", "Nothing."),
)  # fmt: skip


def left(retold: Retold, text: str) -> str:
    """The text without what tells it again."""
    for start, end in reversed(retold.spans(text)):
        text = text[:start] + text[end:]
    return text


@pytest.mark.parametrize(("statement", "text"), TOLD)
def test_a_clause_with_all_its_words_tells_it_again(statement: str, text: str) -> None:
    """Whatever small words and endings stand around them."""
    assert Retold([statement]).spans(text)


@pytest.mark.parametrize(("statement", "text"), OTHERS)
def test_a_clause_with_some_of_its_words_does_not(statement: str, text: str) -> None:
    """Half of the words are another statement."""
    assert () == Retold([statement]).spans(text)


def test_the_neighbours_of_what_tells_it_stay() -> None:
    """Clause by clause in a compound, sentence by sentence in a reply."""
    reply = "I am sorry that you are diabetic and your flat in Oslo is cold. Oslo is lovely."
    assert "your flat in Oslo is cold. Oslo is lovely." == left(Retold([DIABETIC]), reply)


def test_what_may_be_said_of_a_statement_that_stays_stays() -> None:
    """My sister's illness is not forgotten with mine."""
    retold = Retold([DIABETIC], ["My sister is diabetic.", "I live in Oslo."])
    assert "Your sister is diabetic too." == left(retold, "Your sister is diabetic too.")
    assert "" == left(retold, "You are diabetic.")


def test_of_the_users_own_words_only_what_they_say_of_themselves_goes() -> None:
    """An uncle that nobody remembered is the user's to mention; a request says it of the user."""
    retold = Retold(["I have a peanut allergy."])
    assert () == retold.spans("My uncle has a peanut allergy.", "user")
    assert () == Retold(["I smoke."]).spans("Where do I buy a smoke alarm?", "user")
    assert retold.spans("I said that I have a peanut allergy.", "user")
    assert retold.spans("Forget the peanut allergy.", "anybody")
