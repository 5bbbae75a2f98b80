"""Of whom a clause speaks, and which statements are known later at all."""

from __future__ import annotations

import pytest

from palimpsest.language.retold import Retold
from palimpsest.language.telling import is_known_later, told

OF_THE_READER = (
    ("I am diabetic.", "since you are diabetic"),
    ("I am diabetic.", "As a diabetic, avoid sugar."),
    ("I am diabetic.", "Noted: diabetic."),
    ("I am diabetic.", "The user is diabetic."),
    ("User is diabetic.", "You are diabetic."),
    ("I am diabetic.", "Your sister says that you are diabetic."),
    ("I was adopted.", "You told me that you were adopted as a child."),
    ("Je suis végétarien.", "En tant que végétarien, évite la viande."),
    ("Je suis enceinte.", "Vous êtes enceinte de trois mois."),
    ("Ich bin schwanger.", "Da Sie schwanger sind, kein Alkohol."),
    ("Ich bin Vegetarierin.", "Für eine Vegetarierin, gern."),
    ("Soy diabético.", "Como eres diabético, menos azúcar."),
    ("Sono vegetariana.", "Visto che sei vegetariana, niente carne."),
    ("Sou celíaco.", "Como você é celíaco, nada de trigo."),
)
OF_NOBODY = (
    ("I am diabetic.", "Diabetic recipes are popular."),
    ("I am diabetic.", "As a diabetic dish it is famous."),
    ("I am diabetic.", "Diabetic."),
    ("I am vegetarian.", "The place has vegetarian and vegan plates."),
    ("I am happy.", "You are happy to hear that."),
    ("I am diabetic.", "Your little sister is diabetic."),
    ("User is diabetic.", "The user's sister is diabetic."),
    ("Je suis enceinte.", "Votre femme est enceinte."),
    ("Ich bin schwanger.", "Ihre Schwester ist schwanger."),
    ("Soy diabético.", "Su hermano es diabético."),
    ("I moved.", "You can say that the date was moved."),
    ("Ich bin schwanger.", "Sie ist schwanger."),
    ("Je suis végétarien.", "Les plats végétariens sont nombreux."),
    ("Soy diabético.", "Hay recetas para diabéticos."),
    ("Sono vegetariana.", "Una pizza vegetariana costa poco."),
    ("Sou celíaco.", "O pão para celíacos é caro."),
)
EVERYDAY = (
    "I am happy.", "I moved.", "I love it.", "I don't want to go.", "Je suis fatigué.",
    "Ich bin müde.", "Estoy cansada.", "Sono stanco.", "Estou cansado.", "It is 12.", "",
)  # fmt: skip
KNOWN = (
    "I am diabetic.", "I was adopted.", "I quit smoking.", "I got married.", "Je suis enceinte.",
    "Ich bin schwanger.", "Soy celíaco.", "Sono adottato.", "Sou celíaco.", "我是素食主义者",
)  # fmt: skip


@pytest.mark.parametrize(("statement", "text"), OF_THE_READER)
def test_what_others_say_of_the_user_tells_it_again(statement: str, text: str) -> None:
    """Spoken to the user, of "the user", in a role, or with nothing beside it."""
    assert Retold([statement]).spans(text, "others")


@pytest.mark.parametrize(("statement", "text"), OF_NOBODY)
def test_what_is_said_of_nobody_does_not(statement: str, text: str) -> None:
    """The same words, of recipes, of a dish, of somebody else, or of everything."""
    assert () == Retold([statement]).spans(text, "others")


@pytest.mark.parametrize("statement", EVERYDAY)
def test_everyday_words_alone_are_not_known_later(statement: str) -> None:
    """They are said to everybody: to refuse them would empty every answer ever after."""
    assert not is_known_later(told(statement))


@pytest.mark.parametrize("statement", KNOWN)
def test_one_word_that_tells_is_enough(statement: str) -> None:
    """In any of six languages, and by pairs of characters in a script without blanks."""
    assert is_known_later(told(statement))


def test_a_statement_of_somebody_else_is_told_of_them() -> None:
    """It needs no "you"; and the user may have said it without an "I"."""
    retold = Retold(["My sister is diabetic."])
    for by in ("user", "others", "now"):
        assert retold.spans("My sister is diabetic.", by)
    assert retold.spans("How is your diabetic sister?", "others")
    assert () == retold.spans("You are diabetic.", "others")


def test_each_clause_of_a_statement_tells_its_part() -> None:
    """But for one of everyday words, which tells nothing alone."""
    retold = Retold(["I am diabetic and I inject insulin. I am happy."])
    told_again = ("So you are diabetic.", "You inject insulin daily.")
    assert all(retold.spans(text, "others") for text in told_again)
    assert () == retold.spans("Then you are happy.", "others")
    stays = Retold(["I am diabetic. I inject insulin."], ["I hike. My cat is diabetic."])
    assert () == stays.spans("Your cat is diabetic, poor thing.", "anybody")
    assert stays.spans("You are diabetic.", "anybody")


def test_what_says_more_than_the_words_beside_is_told_of_them() -> None:
    """A reading that quotes the user's words of a sister says them of the sister alone."""
    retold = Retold(["I am diabetic."], beside=["My sister is diabetic."])
    assert () == retold.spans("The user's sister is diabetic.")
    assert retold.spans("The user is diabetic.")


def test_the_contrary_of_a_replaced_statement_holds_now() -> None:
    """Of a forgotten one it goes too: it speaks of what is to be gone."""
    contrary = "You are not vegetarian."
    assert Retold(["I am vegetarian."]).spans(contrary, "others")
    assert () == Retold(["I am vegetarian."], replaced=True).spans(contrary, "others")


def test_many_statements_are_looked_for_as_few_are() -> None:
    """The quick look by the beginnings of words finds what one by one finds."""
    many = Retold([f"I am a {word}er." for word in (
        "bak", "sail", "paint", "garden", "teach", "driv", "bowl", "climb", "fenc", "golf",
        "hik", "jogg", "juggl", "kayak", "row", "skat", "surf", "swimm", "weld", "writ")])  # fmt: skip
    assert many.may_hold("So you are a welder now.")
    assert many.spans("So you are a welder now.", "others")
    assert not many.may_hold("So you are a lawyer now.")
