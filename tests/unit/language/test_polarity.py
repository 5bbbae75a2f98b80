"""A copied clause is held to the polarity of the clause that it resembles, in six languages."""

from __future__ import annotations

import pytest

from palimpsest.language.polarity import flipped, negations

CONTRARY = (
    ("I don't like cilantro", "The user likes cilantro"),
    ("I hate cilantro", "The user prefers cilantro"),
    ("I like cilantro", "The user can't stand cilantro"),
    ("Deploying on Fridays is not allowed", "Deploying on Fridays is allowed"),
    ("I stopped smoking", "The user smokes"),
    ("I never said that I like tea", "I like tea"),
    ("I'm not vegetarian but vegan", "The user is vegetarian"),
    ("I like tea, not coffee", "The user likes coffee"),
    ("I drink coffee without sugar", "The user drinks coffee with sugar"),
    ("I eat gluten-free bread", "The user eats gluten bread"),
    ("I'm not unhappy in Oslo", "The user is unhappy in Oslo"),
    ("The budget is 1,500 euros, not 2,000", "The budget is 2,000 euros"),
    ("Je n'aime pas le jazz", "L'utilisateur aime le jazz"),
    ("J'aime pas le jazz", "L'utilisateur aime le jazz"),
    ("Je ne bois plus de café", "L'utilisateur boit du café"),
    ("Personne ne fume chez nous", "On fume chez nous"),
    ("Ma sœur conduit", "Ma sœur ne conduit plus"),
    ("Ich trinke keinen Kaffee", "Der Nutzer trinkt Kaffee"),
    ("Ich bin arbeitslos", "Der Nutzer hat Arbeit"),
    ("Ich habe keinen Hund und keine Katze", "Der Nutzer hat einen Hund"),
    ("No me gusta el jazz", "Al usuario le gusta el jazz"),
    ("Dejé de fumar", "El usuario fuma"),
    ("Non mangio carne", "L'utente mangia carne"),
    ("Non sopporto il jazz", "All'utente piace il jazz"),
    ("Não gosto de jazz", "O usuário gosta de jazz"),
    ("Nunca como carne", "O usuário come carne"),
)
AGREEING = (
    # Phrases whose negation turns nothing round.
    ("Not only do I like tea, I love coffee", "The user likes tea"),
    ("No problem, I eat meat", "The user eats meat"),
    ("I can't wait to see Rome", "The user wants to see Rome"),
    ("Je ne bois que du thé", "L'utilisateur boit du thé"),
    ("Je pars avant qu'il ne pleuve", "L'utilisateur part avant qu'il pleuve"),
    ("Il est plus grand que je ne pensais", "Il est plus grand que je pensais"),
    ("Kein Problem, ich esse Fisch", "Der Nutzer isst Fisch"),
    ("Ich trinke nicht nur Tee", "Der Nutzer trinkt Tee"),
    ("No solo como carne", "El usuario come carne"),
    ("Non solo mangio carne", "L'utente mangia carne"),
    ("Não só bebo café, bebo chá", "O usuário bebe café"),
    # Pairs that cancel, and pairs that are one negation.
    ("It's not that I don't like tea", "The user likes tea"),
    ("I'm not unhappy in Oslo", "The user is happy in Oslo"),
    ("I can't not go to Oslo", "The user goes to Oslo"),
    ("No tengo nada de dinero", "El usuario no tiene dinero"),
    ("Non ho nessun fratello", "L'utente non ha fratelli"),
    ("Je n'ai aucun chat", "L'utilisateur n'a pas de chat"),
    # Each clause by itself.
    ("I don't eat meat and I like tofu", "The user likes tofu"),
    ("I don't eat meat because my sister farms", "My sister farms"),
    ("I like tea, not coffee", "The user likes tea"),
    ("I like tea, not coffee", "The user doesn't like coffee"),
    ("No tengo coche y vivo en Madrid", "El usuario vive en Madrid"),
    ("No tengo coche, vivo en Madrid", "vivo en Madrid"),
    ("Ich habe keinen Hund und keine Katze", "Der Nutzer hat keine Katze"),
    ("pizza: dislikes cheese", "dislikes cheese"),
    # The same said in other words.
    ("I stopped smoking", "The user doesn't smoke"),
    ("I drink coffee without sugar", "The user drinks coffee, no sugar"),
    ("I'm allergic to peanuts", "The user has a peanut allergy"),
    ("The budget is 1,500 euros, not 2,000", "The budget is 1,500 euros"),
)
MISSED = (
    # What goes along with a negation over "and" is left open rather than judged.
    ("I don't like tea and coffee", "The user likes coffee"),
    # Words without a negation may deny each other; no list holds them all.
    ("The road is closed", "The road is open"),
    # A reservation says neither.
    ("I hardly ever smoke", "The user smokes"),
)
FALSE_ALARMS = (
    # A relative clause without "which" or "who" stands in the clause that is denied.
    ("I don't know the hotel Bob booked", "Bob booked the hotel"),
)


@pytest.mark.parametrize(("source", "copy"), CONTRARY)
def test_a_copy_that_turns_a_clause_round_is_found(source: str, copy: str) -> None:
    """By a lost or added negation, a contraction, an affix, a verb of refusal or a liking."""
    assert flipped(source, copy)


@pytest.mark.parametrize(("source", "copy"), AGREEING)
def test_a_copy_that_says_the_same_is_left_alone(source: str, copy: str) -> None:
    """Idle negations, pairs that cancel, concord and other clauses turn nothing round."""
    assert not flipped(source, copy)


@pytest.mark.parametrize(("source", "copy"), MISSED)
def test_what_is_in_doubt_is_not_judged(source: str, copy: str) -> None:
    """Known misses: the rule leans to keeping."""
    assert not flipped(source, copy)


@pytest.mark.parametrize(("source", "copy"), FALSE_ALARMS)
def test_known_false_alarms(source: str, copy: str) -> None:
    """Known false positives, kept here so that a change of them is seen."""
    assert flipped(source, copy)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("I don't eat meat", {"not"}),
        ("Not only tea", set()),
        ("I can't not go", set()),
        ("I never eat without salt", {"never", "without"}),
        ("Je ne bois que du thé", set()),
        ("Je ne fume pas", {"ne", "pas"}),
        ("avant qu'il ne parte", set()),
        ("Kein Problem", set()),
        ("Ich habe keinen Hund", {"keinen"}),
        ("No tengo nada de dinero", {"no", "nada"}),
        ("Senza dubbio vengo", set()),
        ("Não tenho carro", {"não"}),
    ],
)
def test_the_negations_of_a_text_are_those_that_negate(text: str, found: set[str]) -> None:
    """Folded, as they are written out; none where a pair cancels."""
    assert found == negations(text)


def test_a_text_is_never_the_contrary_of_itself() -> None:
    """Nor of its own clauses, whatever they deny."""
    for source, _ in (*CONTRARY, *AGREEING):
        assert not flipped(source, source)
        assert not flipped(source, f"{source}.")
