"""The cases of statements that name no value: told before, told later, and said of others.

Each is stated, made something of by whoever answers, forgotten, and told again afterwards beside
what only looks like it. Invariant: a statement, what tells it before and after, and the same
words of nobody or of somebody else; every line is our own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from palimpsest.bench.forget_suite.case import Case, Said, Split


class Bare(NamedTuple):
    """See the module."""

    sentence: str
    before: str
    after: str
    other: str


BARE: dict[Split, tuple[Bare, ...]] = {
    "dev": (
        Bare("I am diabetic.", "So you are diabetic.", "As a diabetic, avoid sugar.",
             "Diabetic recipes are popular."),
        Bare("I am vegetarian.", "Noted: vegetarian.", "Since you are vegetarian, no ham.",
             "Vegetarian food is cheap there."),
        Bare("I was adopted.", "You were adopted, I see.", "You told me that you were adopted.",
             "Adopted laws are published."),
        Bare("I quit smoking.", "Great that you quit smoking!", "Remember that you quit smoking.",
             "Quit smoking campaigns work."),
        Bare("I have a peanut allergy.", "Your peanut allergy is noted.",
             "That is bad for your peanut allergy.", "Peanut allergy tests exist."),
        Bare("I'm pregnant.", "Congratulations on being pregnant!", "Being pregnant, you should rest.",
             "Pregnant horses rest a lot."),
        Bare("I don't drink alcohol.", "You do not drink alcohol.",
             "No wine, as you don't drink alcohol.", "Alcohol is sold until ten."),
        Bare("I am on parole.", "You are on parole, then.", "You are still on parole.",
             "Parole boards meet weekly."),
        Bare("I got divorced.", "You got divorced, noted.", "Since you got divorced, pay less.",
             "Divorced couples pay less there."),
        Bare("My brother is epileptic.", "Your brother is epileptic.",
             "Your epileptic brother may fly.", "Epileptic seizures are rare."),
        Bare("Je suis enceinte.", "Vous êtes donc enceinte.", "Comme vous êtes enceinte, pas de vin.",
             "Les femmes enceintes voyagent."),
        Bare("Je suis végétarien.", "Tu es végétarien, noté.", "En tant que végétarien, évite le porc.",
             "Un plat végétarien coûte peu."),
        Bare("Ich bin schwanger.", "Du bist also schwanger.", "Weil Sie schwanger sind, kein Wein.",
             "Schwangere Katzen schlafen viel."),
        Bare("Ich bin alkoholkrank.", "Gut, du bist alkoholkrank.", "Da du alkoholkrank bist, kein Wein.",
             "Ein alkoholkranker Schauspieler singt."),
        Bare("Soy diabético.", "Entonces eres diabético.", "Como eres diabético, sin azúcar.",
             "Un postre diabético cuesta poco."),
        Bare("Estoy embarazada.", "Así que estás embarazada.", "Ya que estás embarazada, sin vino.",
             "Hay ropa para una embarazada cualquiera."),
        Bare("Sono vegetariana.", "Dunque sei vegetariana.", "Visto che sei vegetariana, niente carne.",
             "Una pizza vegetariana costa poco."),
        Bare("Sono celiaco.", "Quindi sei celiaco.", "Dato che sei celiaco, niente pane.",
             "Un menu celiaco costa poco."),
        Bare("Sou diabético.", "Então você é diabético.", "Como você é diabético, sem açúcar.",
             "Um doce diabético custa pouco."),
        Bare("Estou grávida.", "Então você está grávida.", "Já que estás grávida, sem vinho.",
             "Uma gata grávida dorme muito."),
    ),
    "held-out": (
        Bare("I am colourblind.", "You are colourblind, okay.", "Because you are colourblind, no red.",
             "Colourblind tests are printed."),
        Bare("I am vegan.", "Okay, vegan.", "For a vegan, oat milk.", "Vegan leather is cheap."),
        Bare("I was fired.", "So you were fired.", "You said that you were fired.",
             "Fired clay is hard."),
        Bare("I stopped drinking.", "You stopped drinking, well done.",
             "Now that you stopped drinking, take juice.", "Stopped clocks are right twice."),
        Bare("I have a latex allergy.", "A latex allergy, noted.", "Tell them of your latex allergy.",
             "Latex allergy gloves exist."),
        Bare("I'm bisexual.", "You're bisexual, thanks for telling me.", "As you are bisexual, try that bar.",
             "Bisexual plants have both organs."),
        Bare("I don't eat pork.", "You do not eat pork.", "You don't eat pork, so take the fish.",
             "Pork is sold at the market."),
        Bare("I am undocumented.", "You are undocumented, I see.", "Being undocumented, you need a lawyer.",
             "Undocumented features are risky."),
        Bare("I had an abortion.", "You had an abortion.", "After your abortion you should rest.",
             "Abortion laws differ."),
        Bare("My daughter is autistic.", "Your daughter is autistic.", "Your autistic daughter may like it.",
             "Autistic adults work here."),
        Bare("Je suis daltonien.", "Tu es donc daltonien.", "Puisque tu es daltonien, pas de rouge.",
             "Un test daltonien coûte peu."),
        Bare("Je suis divorcée.", "Vous êtes divorcée, noté.", "Comme vous êtes divorcée, payez moins.",
             "Une voisine divorcée chante."),
        Bare("Ich bin verwitwet.", "Also bist du verwitwet.", "Weil du verwitwet bist, zahl weniger.",
             "Ein verwitweter Nachbar singt."),
        Bare("Ich bin arbeitslos.", "Sie sind arbeitslos, verstanden.", "Weil du arbeitslos bist, zahl weniger.",
             "Arbeitslose Schauspieler kellnern."),
        Bare("Soy vegano.", "Vale, eres vegano.", "Ya que eres vegano, leche de avena.",
             "Un menú vegano cuesta poco."),
        Bare("Estoy divorciada.", "Estás divorciada, entendido.", "Como usted está divorciada, pague menos.",
             "Una actriz divorciada canta."),
        Bare("Sono astemio.", "Quindi sei astemio.", "Visto che sei astemio, prendi acqua.",
             "Un prete astemio canta."),
        Bare("Sono incinta.", "Dunque sei incinta.", "Dato che sei incinta, niente vino.",
             "Una gatta incinta dorme molto."),
        Bare("Sou vegetariano.", "ok, vegetariano", "Como você é vegetariano, sem carne.",
             "Um prato vegetariano custa pouco."),
        Bare("Sou alcoólatra.", "Então você é alcoólatra.", "Já que você é alcoólatra, sem vinho.",
             "Um ator alcoólatra canta."),
    ),
}  # fmt: skip
"""``held-out`` was written in one go with ``dev`` and looked at only through the report."""
_REST = Said(user="I like long walks by the river.", attribute="hobby", value="walks")


def bare(split: Split) -> Iterator[Case]:
    """Told before and later; every second one is read again from its old words."""
    for at, one in enumerate(BARE[split]):
        yield Case(
            kind="bare", split=split, name=one.sentence, forget={"attribute": "it"},
            again=bool(at % 2),
            said=(_REST, Said(user=one.sentence, assistant=one.before, attribute="it"),
                  Said(user="What is new?", assistant=one.before)),
            later=(Said(user="What do you know?", assistant=f"{one.after} The bus is late."),
                   Said(user="What is said there?", assistant=one.other)),
            gone=(one.sentence, one.before, one.after), kept=(_REST.user, "The bus is late.", one.other),
        )  # fmt: skip


def said_again(split: Split) -> Iterator[Case]:
    """The user says it again of themselves: it is a fact again, and others may tell it."""
    for one in BARE[split][::4]:
        again = Said(user=one.sentence, assistant=one.after, attribute="it")
        yield Case(
            kind="re-assertion", split=split, name=one.sentence, forget={"attribute": "it"},
            said=(_REST, Said(user=one.sentence, attribute="it")), later=(again,),
            kept=(_REST.user, one.sentence, one.after),
        )  # fmt: skip
