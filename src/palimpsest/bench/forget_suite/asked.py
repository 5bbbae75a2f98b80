"""The cases that ask in words: by a description, and in the user's own sentence.

Invariant: a description that fits several memories equally well must be asked about.
"""

from __future__ import annotations

from collections.abc import Iterator

from palimpsest.bench.forget_suite.case import Case, Said, Split

_PEOPLE: dict[Split, tuple[tuple[str, str, str], ...]] = {
    "dev": (
        ("staging-key", "sk-stage-4711", "The staging key is sk-stage-4711."),
        ("production-key", "sk-prod-0815", "The production key is sk-prod-0815."),
        ("home", "Marseille", "I live in Marseille."),
        ("allergy", "hazelnuts", "I am allergic to hazelnuts."),
        ("cat", "Nimbus", "My cat is called Nimbus."),
        ("employer", "Initech", "I work at Initech."),
        ("dentist", "Ruth Kessler", "My dentist is Ruth Kessler."),
        ("gate-code", "7731", "The gate code is 7731."),
    ),
    "held-out": (
        ("router-password", "plum-tractor-9", "The router password is plum-tractor-9."),
        ("laptop-password", "grey-kettle-4", "The laptop password is grey-kettle-4."),
        ("home", "Gdańsk", "I live in Gdańsk."),
        ("allergy", "shellfish", "I am allergic to shellfish."),
        ("dog", "Bruno", "My dog is called Bruno."),
        ("employer", "Hooli", "I work at Hooli."),
        ("lawyer", "Peter Quast", "My lawyer is Peter Quast."),
        ("alarm-code", "5508", "The alarm code is 5508."),
    ),
}
_ASKED: dict[Split, tuple[tuple[str, tuple[str, ...]], ...]] = {
    "dev": (
        ("the staging key", ("staging-key",)), ("the production key", ("production-key",)),
        ("staging", ("staging-key",)), ("my cat", ("cat",)), ("the name of my cat", ("cat",)),
        ("where I live", ("home",)), ("my allergy", ("allergy",)), ("hazelnuts", ("allergy",)),
        ("my dentist", ("dentist",)), ("Ruth Kessler", ("dentist",)), ("the gate code", ("gate-code",)),
        ("sk-prod-0815", ("production-key",)), ("7731", ("gate-code",)), ("my employer", ("employer",)),
        ("everything about my cat", ("cat",)), ("everything about Initech", ("employer",)),
        ("everything about the gate", ("gate-code",)), ("all about my allergy", ("allergy",)),
        ("the key", ()), ("my key", ()), ("what I told you about Marseille", ("home",)),
    ),
    "held-out": (
        ("the router password", ("router-password",)), ("the laptop password", ("laptop-password",)),
        ("router", ("router-password",)), ("my dog", ("dog",)), ("the name of my dog", ("dog",)),
        ("where I live", ("home",)), ("my allergy", ("allergy",)), ("shellfish", ("allergy",)),
        ("my lawyer", ("lawyer",)), ("Peter Quast", ("lawyer",)), ("the alarm code", ("alarm-code",)),
        ("grey-kettle-4", ("laptop-password",)), ("5508", ("alarm-code",)), ("my employer", ("employer",)),
        ("everything about my dog", ("dog",)), ("everything about Hooli", ("employer",)),
        ("everything about the alarm", ("alarm-code",)), ("all about my allergy", ("allergy",)),
        ("the password", ()), ("my password", ()), ("what I told you about Gdańsk", ("home",)),
    ),
}  # fmt: skip
_SENTENCES: dict[Split, tuple[tuple[str, str, str], ...]] = {
    "dev": (
        ("My PIN is 441790.", "Please forget my PIN.", "441790"),
        ("My passport number is P7730412.", "Forget my passport number.", "P7730412"),
        ("I live in Marseille.", "Please forget where I live.", "Marseille"),
        ("I am allergic to hazelnuts.", "Forget my allergy, please.", "hazelnuts"),
        ("My cat is called Nimbus.", "Delete the name of my cat.", "Nimbus"),
        ("My dentist is Ruth Kessler.", "Please delete my dentist.", "Ruth Kessler"),
        ("The gate code is 7731.", "Forget the gate code 7731!", "7731"),
        ("My salary is 61,500 euros.", "Don't remember my salary.", "61,500 euros"),
        ("I work at Initech.", "Could you forget where I work?", "Initech"),
        ("My e-mail is ana.ruiz@mail.io.", "Erase my e-mail address.", "ana.ruiz@mail.io"),
        ("Mon code est 441790.", "Oublie mon code, s'il te plaît.", "441790"),
        ("J'habite à Marseille.", "Oublie où j'habite.", "Marseille"),
        ("Mein PIN ist 441790.", "Bitte vergiss meinen PIN.", "441790"),
        ("Ich wohne in Marseille.", "Vergiss, wo ich wohne.", "Marseille"),
        ("Mi PIN es 441790.", "Olvida mi PIN, por favor.", "441790"),
        ("Vivo en Marsella.", "Olvida dónde vivo.", "Marsella"),
        ("Il mio PIN è 441790.", "Dimentica il mio PIN.", "441790"),
        ("O meu PIN é 441790.", "Esquece o meu PIN, por favor.", "441790"),
        ("My plate is KA-PL 731.", "Please forget everything about my plate.", "KA-PL 731"),
        ("My locker is 3390.", "Forget my locker, please.", "3390"),
    ),
    "held-out": (
        ("My bank PIN is 806255.", "Please forget my bank PIN.", "806255"),
        ("My ID card number is L8831902.", "Forget my ID card number.", "L8831902"),
        ("I live in Gdańsk.", "Please delete where I live.", "Gdańsk"),
        ("I'm allergic to shellfish.", "Please forget my allergy.", "shellfish"),
        ("My dog is called Bruno.", "Erase the name of my dog.", "Bruno"),
        ("My lawyer is Peter Quast.", "Forget my lawyer.", "Peter Quast"),
        ("The alarm code is 5508.", "Please forget the alarm code 5508.", "5508"),
        ("My rent is 1,240 euros.", "Do not remember my rent.", "1,240 euros"),
        ("I work at Hooli.", "Please forget where I work.", "Hooli"),
        ("My mail is t.lind@post.se.", "Delete my mail.", "t.lind@post.se"),
        ("Mon numéro de badge est 806255.", "Oublie mon numéro de badge.", "806255"),
        ("J'habite à Gdańsk.", "Oublie l'endroit où j'habite.", "Gdańsk"),
        ("Meine Kundennummer ist 806255.", "Bitte vergiss meine Kundennummer.", "806255"),
        ("Ich wohne in Gdańsk.", "Bitte vergiss, wo ich wohne.", "Gdańsk"),
        ("Mi número de socio es 806255.", "Olvida mi número de socio.", "806255"),
        ("Vivo en Turín.", "Por favor, olvida dónde vivo.", "Turín"),
        ("Il mio codice è 806255.", "Dimentica il mio codice, per favore.", "806255"),
        ("O meu código é 806255.", "Por favor, esquece o meu código.", "806255"),
        ("My badge is QX-553.", "Forget everything about my badge.", "QX-553"),
        ("My bike lock is 7154.", "Please forget my bike lock.", "7154"),
    ),
}
_STAYS = Said(user="I like long walks by the river.")


def described(split: Split) -> Iterator[Case]:
    """By words: one memory, everything about something, or nothing where it is not clear."""
    told = {attribute: (value, sentence) for attribute, value, sentence in _PEOPLE[split]}
    said = tuple(
        Said(user=sentence, attribute=attribute, value=value)
        for attribute, (value, sentence) in told.items()
    )
    for words, meant in _ASKED[split]:
        yield Case(
            kind="description", split=split, name=words, said=said, forget={"words": words},
            asks=not meant, gone=tuple(told[name][0] for name in meant),
            kept=tuple(sentence for name, (_, sentence) in told.items() if name not in meant),
        )  # fmt: skip


def in_sentences(split: Split) -> Iterator[Case]:
    """The user tells it and takes it back; the extractor ``rules`` reads both."""
    for sentence, request, value in _SENTENCES[split]:
        yield Case(
            kind="sentence", split=split, name=request, said=(_STAYS, Said(user=sentence)),
            forget={"sentence": request}, gone=(value,), kept=(_STAYS.user,),
        )  # fmt: skip
