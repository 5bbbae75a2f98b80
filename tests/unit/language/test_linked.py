"""What speaks to the user and holds the words of a statement, and does not say it of them."""

from __future__ import annotations

import time

import pytest

from palimpsest.language.retold import Retold
from palimpsest.language.telling import denies, told

SAID_OF_THE_USER = (
    ("I am diabetic.", "You mentioned being diabetic."),
    ("I am diabetic.", "You are tall, blond and diabetic."),
    ("I am diabetic.", "You're a 30-year-old diabetic woman."),
    ("I am diabetic.", "Given that you are, after all, diabetic, no."),
    ("I am diabetic.", "Diabetic as you are, avoid it."),
    ("I am diabetic.", "Diabetics like you should rest."),
    ("I am diabetic.", "As a diabetic you should rest."),
    ("I am diabetic.", "You used to be diabetic."),
    ("I am diabetic.", "User profile: diabetic."),
    ("I am diabetic.", '{"user": {"health": ["diabetic"]}}'),
    ("I have a peanut allergy.", "You told me about the peanut allergy."),
    ("I have a peanut allergy.", "You have a severe peanut allergy."),
    ("I have a peanut allergy.", "Avoid it with a peanut allergy like yours."),
    ("I have a cat.", "Give your old cat fish."),
    ("I don't eat pork.", "No pork, as you don't eat it."),
    ("Ich bin schwanger.", "Weil du seit Mai schwanger bist, nein."),
    ("Ich bin schwanger.", "Als Schwangere solltest du ruhen."),
    ("Ich bin schwanger.", "Für Schwangere wie dich ist das nichts."),
    ("Je suis végétarien.", "Tu m'as dit être végétarien."),
    ("Je suis végétarien.", "Végétarien comme toi, non."),
    ("Soy diabético.", "Dijiste que eras diabético."),
    ("Soy diabético.", "Al ser diabético, no tome azúcar."),
    ("Sono celiaco.", "Hai detto di essere celiaco."),
    ("Sono celiaco.", "Da celiaco, evita il pane."),
    ("Estou grávida.", "A senhora está grávida."),
    ("Estou grávida.", "Disseste que estavas grávida."),
)
OF_SOMETHING_ELSE = (
    ("I am diabetic.", "If you have a diabetic friend, bring fruit."),
    ("I am diabetic.", "You asked about diabetic recipes: they are on page 4."),
    ("I am diabetic.", "You could try diabetic recipes."),
    ("I am diabetic.", "Your dog is diabetic."),
    ("I am diabetic.", "You told me Tom is diabetic."),
    ("I am diabetic.", "He is diabetic and you are tall."),
    ("I am diabetic.", "A diabetic user of this pump should read page 3."),
    ("I am diabetic.", "As a diabetic dish you will love it."),
    ("I have a cat.", "If you see a cat, brake."),
    ("I have a cat.", "The cat you mentioned is in the film."),
    ("I have a cat.", "It rains cats and dogs, you know."),
    ("I am single.", "You should use single quotes."),
    ("I am single.", "Every single thing you say is fine."),
    ("I am a developer.", "Thank you, developer mode is on."),
    ("I smoke.", "If you see smoke, call the fire brigade."),
    ("I work in a bank.", "You can open an account at a bank; it works online."),
    ("I have cancer.", "Cancer is treated with radiation; you can read more there."),
    ("Ich bin ledig.", "Du kannst die ledige Schraube nehmen."),
    ("J'ai un chat.", "Si tu vois un chat, freine."),
    ("Je suis végétarien.", "Je vous propose un plat végétarien."),
    ("Soy diabético.", "Te recomiendo un postre diabético."),
    ("Sono celiaco.", "Ti consiglio un menu celiaco."),
    ("Tenho um gato.", "Se você vir um gato, freia."),
)


@pytest.mark.parametrize(("statement", "text"), SAID_OF_THE_USER)
def test_what_is_said_of_who_is_spoken_to_tells_a_statement(statement: str, text: str) -> None:
    """With words of grammar between, or beside something else that they are."""
    assert Retold([statement]).spans(text, "others")


@pytest.mark.parametrize(("statement", "text"), OF_SOMETHING_ELSE)
def test_what_is_only_said_to_somebody_is_not_of_them(statement: str, text: str) -> None:
    """A sentence with "you" and the words in it would else be lost in silence."""
    assert () == Retold([statement]).spans(text, "others")


def test_what_stands_in_other_lines_stays() -> None:
    """A short item of a list goes on from nothing, and is no end of the item before."""
    text = "For the week:\n1. You are diabetic\n2. Buy milk\n3. Call Tom"
    (gone,) = Retold(["I am diabetic."]).spans(text, "others")
    assert "You are diabetic" == text[gone.start : gone.end]
    items = "- You are diabetic\n- Buy milk\n- Call Tom"
    (gone,) = Retold(["I am diabetic."]).spans(items, "others")
    assert "- Buy milk\n- Call Tom" == items[gone.end :]


UNACCENTED = (
    ("Estou grávida.", "voce esta gravida"),
    ("estou gravida", "Você está grávida."),
    ("Je suis végétarien.", "vous etes vegetarien"),
    ("Soy alérgico al maní.", "tu eres alergico al mani"),
    ("Sou alcoólatra.", "voce e alcoolatra"),
)


@pytest.mark.parametrize(("statement", "text"), UNACCENTED)
def test_who_leaves_the_accents_out_says_the_same(statement: str, text: str) -> None:
    """In the statement or where it is told: a stemmer alone tells the two apart."""
    assert Retold([statement]).spans(text, "others")


DENIED = (
    ("I am diabetic.", "I'm not diabetic."),
    ("I am diabetic.", "I never said I am diabetic."),
    ("Ich rauche.", "Ich rauche nicht mehr."),
    ("Je fume.", "Je ne fume pas."),
    ("Soy diabético.", "No soy diabético."),
    ("Sono celiaco.", "Non sono celiaco."),
    ("Sou diabético.", "Não sou diabético."),
)
SAID = (
    ("I am diabetic.", "I am diabetic and not overweight."),
    ("I am diabetic.", "I am not overweight but diabetic."),
    ("I am diabetic.", "No, I am diabetic."),
    ("I am diabetic.", "I am not only diabetic."),
    ("I am diabetic.", "No doubt I am diabetic."),
    ("I don't drink alcohol.", "I don't drink alcohol."),
    ("Ich bin schwanger.", "Nein, ich bin schwanger."),
    ("Soy diabético.", "No, soy diabético."),
)


@pytest.mark.parametrize(("statement", "clause"), DENIED)
def test_a_negation_of_the_words_denies_them(statement: str, clause: str) -> None:
    """Before them or behind, with words of grammar between."""
    assert denies(clause, told(statement))


@pytest.mark.parametrize(("statement", "clause"), SAID)
def test_a_negation_of_something_beside_does_not(statement: str, clause: str) -> None:
    """Nor an answer before it, nor one that the statement says itself."""
    assert not denies(clause, told(statement))


def test_a_long_text_that_speaks_to_its_reader_all_the_time_is_read_in_its_length() -> None:
    """A tenth of the text takes about a tenth of the time: a place is read by what is near."""
    retold, times = Retold(["I am diabetic."]), []
    for many in (1_000, 10_000):
        start = time.perf_counter()
        assert retold.spans("you are not " * many + " diabetic", "others")
        times.append(time.perf_counter() - start)
    assert times[1] < 40 * times[0]


def test_it_rains_in_german_speaks_on_of_nothing() -> None:
    """ "Es gibt" has no subject that was spoken of before."""
    text = "Da Sie schwanger sind, kein Wein. Es gibt Saft im Haus."
    (gone,) = Retold(["Ich bin schwanger."]).spans(text, "others")
    assert "Es gibt Saft im Haus." == text[gone.end :].strip()
