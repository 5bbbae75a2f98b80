"""Two forms of one word that say two things: the tense of a verb, and what stands before a word.

Invariant: pure functions; a class of one side only tells nothing, two classes that differ do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import regex

from palimpsest.language.one_spelling import plain, spelt

_NOUS = 6

_FRENCH: tuple[tuple[regex.Pattern[str], str], ...] = (
    (regex.compile(r"\p{L}{2}r(?:ais|ait|aient|ions|iez)$"), "conditional"),
    (regex.compile(r"\p{L}{2}r(?:ai|as|a|ons|ez|ont)$"), "future"),
    (regex.compile(r"\p{L}{3}(?:ais|ait|aient)$"), "past"),
    (regex.compile(r"\p{L}{2}é(?:e?s?)$"), "participle"),
)


def form(word: str, language: str) -> str:
    """The tense that the ending of a folded word says, "" where it says none."""
    if language == "en":
        return "past" if word.endswith("ed") else ""
    if language != "fr":
        return ""
    return next((name for pattern, name in _FRENCH if pattern.search(word)), "")


_FRENCH_VERB = frozenset(
    [
        "e",
        "es",
        "ent",
        "er",
        "ez",
        "ons",
        "eons",
        "ant",
        "ais",
        "ait",
        "aient",
        "ai",
        "as",
        "a",
        "ra",
        "rai",
        "ras",
        "ront",
        "é",
        "ée",
        "és",
        "ées",
    ]
)
_FRENCH_ENDS = (
    frozenset(("", "s")), frozenset(("", "x")), frozenset(("al", "aux")), _FRENCH_VERB,
    frozenset(("ir", "is", "it", "issons", "issez", "issent")),
)  # fmt: skip
_AFTER_D = frozenset(("", "s", "re", "ons", "ez", "ent", "ait", "ais"))
_ELSEWHERE = tuple(frozenset(("", end)) for end in ("s", "es", "n", "en", "e"))


def one_word(a: str, b: str, language: str) -> bool:
    """True where two words of one stem are forms of one word, not two ("port" and "porte")."""
    if language == "en":
        return bool(_english(a) & _english(b))
    for size in range(_common(a, b), 1, -1):
        ends = {a[size:], b[size:]}
        if language == "fr":
            if any(ends <= one for one in _FRENCH_ENDS):
                return True
            if a[size - 1] == "d" and ends <= _AFTER_D:
                return True
        elif any(ends <= one for one in _ELSEWHERE):
            return True
    return False


def _common(a: str, b: str) -> int:
    return next((at for at in range(min(len(a), len(b))) if a[at] != b[at]), min(len(a), len(b)))


def _english(word: str) -> set[str]:
    """What an English word may be a form of, itself included."""
    found = {word}
    for end, puts in (("ies", ("y",)), ("ied", ("y",)), ("es", ("", "e")), ("s", ("",)),
                      ("ing", ("", "e")), ("ed", ("", "e"))):  # fmt: skip
        if word.endswith(end) and len(word) > len(end) + 1:
            base = word.removesuffix(end)
            found.update(base + put for put in puts)
            if end in ("ing", "ed") and base[-1] == base[-2]:
                found.add(base[:-1])
    return found


def of_nous(word: str, stem: str, stemmed: Callable[[str], str]) -> str:
    """The stem of a French verb after "nous", as that of its other persons."""
    if len(word) < _NOUS or not word.endswith("ons"):
        return stem
    return plain(stemmed(word.removesuffix("ons").removesuffix("e") + "e"))


def _places(text: str) -> Mapping[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for line in text.strip().splitlines():
        classes, _, words = line.strip().partition(": ")
        for word in words.split():
            found[word] = found[spelt(word, "fr")] = frozenset(classes.split("+"))
    return found


PLACES = _places(
    """from: from de du d von aus da dal dalla desde
    to: to towards toward nach zu zum zur vers para al alla
    to+in: into for à au aux pour bei im
    to+in+on: at
    in: in inside within dans en
    on: on upon onto sur auf su sul sulla sobre
    under: under beneath below sous unter bajo sotto sob
    near: near by beside opposite outside behind près cerca vicino perto neben
    with: with avec mit con com
    against: against contre gegen contra contro
    about: about über"""
)
"""What a word before a place says of it; two that share no class are two relations."""
OWNERS = _places(
    """speaker: my our mon ma mes notre nos mein meine meinen meinem meiner meines unser unsere
    speaker: unseren unserem unserer mi mis nuestro nuestra mio mia miei mie nostro nostra meu minha
    speaker: meus minhas
    listener: your ton ta tes votre vos dein deine deinen deinem deiner tu tus tuo tua teu
    he+third: his sein seine seinen seinem seiner seines
    she+third+they: her ihr ihre ihren ihrem ihrer
    they+third: their leur leurs
    third+he+she: son sa ses su sus suo sua suoi sue seu seus suas"""
)
"""Whose the thing is that follows; two that share no class are two owners."""
