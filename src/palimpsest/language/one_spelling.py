"""One spelling for what is written in several ways and means the same.

Numbers ("1,450", "1 450" and "1450"; "08:15" and "8:15"), units and currencies beside a number,
short names of days and months, titles, who "the user" is, British and American words, accents
that tell no two words apart.
Invariant: a pure function; two things that may be two facts are never written alike, so "14 h 30"
stays apart from "14h30", "2.10" from "2.1", and "sale" from "salé".
"""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Callable, Mapping, Sequence

import regex

from palimpsest.language.calendar_words import full_names_of

NAME = regex.compile(
    r"(?<![.!?:\n\u2026]\s*)(?<=\S\s*)\b\p{Lu}[\p{L}\p{M}'\u2019-]*\p{L}\b|\b\p{Lu}{2,}\b"
)
"""Words with a capital letter inside a sentence, and words in capitals."""

_Rewrite = tuple[regex.Pattern[str], str | Callable[[regex.Match[str]], str]]

_UNIT_WORDS: Mapping[str, str] = {
    "kilogram": "kg kgs kilo kilos kilogram kilograms kilogramme kilogrammes",
    "gram": "g gr gram grams gramme grammes",
    "milligram": "mg milligram milligrams milligramme milligrammes",
    "kilometre": "km kms kilometre kilometres kilometer kilometers kilomètre kilomètres",
    "metre": "m metre metres meter meters mètre mètres",
    "centimetre": "cm centimetre centimetres centimeter centimeters centimètre centimètres",
    "millimetre": "mm millimetre millimetres millimeter millimeters millimètre millimètres",
    "litre": "l litre litres liter liters",
    "millilitre": "ml millilitre millilitres milliliter milliliters",
    "minute": "min mins minute minutes",
    "hour": "hr hrs hour hours heure heures",
    "euro": "€ eur euro euros",
    "dollar": "$ usd dollar dollars",
    "percent": "% percent pourcent",
}
_UNITS = {word: name for name, words in _UNIT_WORDS.items() for word in words.split()}
_AFTER_NUMBER = "|".join(sorted(map(regex.escape, _UNITS), key=len, reverse=True))
_WEEKDAYS = {"mon": "monday", "tue": "tuesday", "tues": "tuesday", "wed": "wednesday",
             "thu": "thursday", "thur": "thursday", "thurs": "thursday", "fri": "friday"}  # fmt: skip
"""Not "sat" and "sun", which are words."""
_FRENCH_DAYS = "lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche"
_ENGLISH_DAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"


def _compiled(pattern: str) -> regex.Pattern[str]:
    return regex.compile(pattern, regex.IGNORECASE)


def _lower(match: regex.Match[str]) -> str:
    return str(match.group()).lower()


_NUMBERS: tuple[_Rewrite, ...] = (
    (_compiled(r"(?<![\w.,:/-]|\d )([1-9]\d{0,2}(?: \d{3})+)(?![\w:/-]|[.,]\d| \d)"),
     lambda match: match.group().replace(" ", "")),
    (_compiled(r"(?<![\w.,:/-])0(\d[:h]\d\d)\b"), r"\1"),
    (_compiled(r"(?<!\w)([€$]) ?(\d+(?:\.\d+)?)(?!\w|[.,]\d)"), r"\2 \1"),
    (_compiled(r"(?<=\d) ?(?:per cent|pour cent)\b"), " percent"),
    (_compiled(rf"(?<![\w.,:/-])(\d+(?:[.,]\d+)?)[ -]?({_AFTER_NUMBER})(?![\w€$%])"),
     lambda match: f"{match[1]} {_UNITS[match[2].lower()]}"),
    (_compiled(r"(?<![\w.,])(\d+)\.0(?= (?:" + "|".join(_UNIT_WORDS) + r")\b)"), r"\1"),
)  # fmt: skip
_ENGLISH: tuple[_Rewrite, ...] = (
    # In English a comma between three digits groups them; in French it begins a fraction.
    (_compiled(r"(?<![\w.,:/-])([1-9]\d{0,2}(?:,\d{3})+)(?![\w:/-]|[.,]\d)"),
     lambda match: match.group().replace(",", "")),
    *_NUMBERS,
    (_compiled(r"\b(?:doctor|dr)\b\.?(?= \p{L})"), "doctor"),
    (_compiled(r"(?<=\d \p{L}{3,} )(?:street|st)\b\.?(?=$|[\s,.;!?])"), "street"),
    (_compiled(rf"(?<=\b(?:on|every|each|next|this|last) )({'|'.join(_WEEKDAYS)})\b\.?"
               rf"|\b({'|'.join(_WEEKDAYS)})\b\.?(?= at \d)"),
     lambda match: _WEEKDAYS[(match[1] or match[2]).lower()]),
    (_compiled(rf"\bon ({_ENGLISH_DAYS})s\b"), r"every \1"),
    (_compiled(rf"\b(?:each|every) ({_ENGLISH_DAYS})s?\b"), r"every \1"),
    (_compiled(rf"\b({_ENGLISH_DAYS})\b"), _lower),
    (_compiled(r"\b(?<=everyone|everybody|everything|all|anyone|nobody|nothing|no one) but\b"),
     " except"),
    (_compiled(r"\beach\b"), "every"),
    (_compiled(r"\bwhenever\b"), "when"),
    (_compiled(r"\bnamed\b(?= \p{Lu})"), "called"),
    (_compiled(r"\be-mail"), "email"),
)  # fmt: skip
_FRENCH: tuple[_Rewrite, ...] = (
    *_NUMBERS,
    (_compiled(r"\b(?:docteur|dr)\b\.?(?= \p{L})"), "docteur"),
    (_compiled(rf"\b(?:tous les|chaque) ({_FRENCH_DAYS})s?\b"), r"chaque \1"),
    (_compiled(rf"\ble ({_FRENCH_DAYS})\b(?! (?:\d|prochain|dernier|suivant|de))"), r"chaque \1"),
    (_compiled(r"\b(?:tous|toutes) les (?=mois|jours|semaines|ans|années|matins|soirs)"),
     "chaque "),
    (_compiled(r"\bil y a(?= \w+ (?:heures?|hours?|jours?|semaines?|mois|ans?|années?)\b)"),
     "auparavant"),
    (_compiled(r"\bse trouve(?=\s)"), "est"),
    (_compiled(r"\b(?:qui s'appelle|appelée?|nommée?)(?= \p{Lu})"), "nommé"),
    (_compiled(r"\b(j')?(?:avais|avait)(?= \p{L}+(?:é|ée|és|ées|u|i|is|it|ert)\b)"),
     lambda match: f"{match[1] or ''}a{'i' if match[1] else ''}"),
    (_compiled(r"\bclef(s?)\b"), r"clé\1"),
)  # fmt: skip

_USER = (
    (_compiled(r"^(?:the )?user(?:'s)\b"), "my"),
    (_compiled(r"^(?:the )?user (?=is\b)is\b"), "I am"),
    (_compiled(r"^(?:the )?user (?=has\b)has\b"), "I have"),
    (_compiled(r"^(?:the )?user (?=does\b)does\b"), "I do"),
    (_compiled(r"^(?:the )?user\b(?=\s+\p{Ll})"), "I"),
)
_UTILISATEUR = (
    (_compiled(r"^l'utilisat(?:eur|rice) est\b"), "je suis"),
    (_compiled(r"^l'utilisat(?:eur|rice) a\b"), "j'ai"),
    (_compiled(r"^l'utilisat(?:eur|rice)(?=\s+\p{Ll})"), "je"),
    (_compiled(r"^l[ea] (\p{Ll}+) de l'utilisat(?:eur|rice)\b"), r"mon \1"),
)
_THEM = {"they": "I", "them": "me", "their": "my", "theirs": "mine"}
_OF_USER = _compiled(r"\b(" + "|".join(_THEM) + r")\b")


def rewritten(text: str, languages: Sequence[str]) -> str:
    """A text with its numbers, units, dates, titles and user in one spelling; case is kept."""
    text = " ".join(unicodedata.normalize("NFC", text.replace("\u2019", "'")).split())
    code = languages[0] if languages else ""
    if code == "en":
        text = _with(_ENGLISH, _told_by_user(text))
    elif code == "fr":
        text = _with(_FRENCH, _with(_UTILISATEUR, text))
    else:
        text = _with(_NUMBERS, text)
    if code in ("en", "fr"):
        text = NAME.sub(lambda match: plain(match.group()), text)
        text = _months(code).sub(lambda match: _full(match, code), text)
    return text


def _with(rewrites: Sequence[_Rewrite], text: str) -> str:
    for pattern, into in rewrites:
        text = pattern.sub(into, text)
    return text


def _told_by_user(text: str) -> str:
    told = _with(_USER, text)
    if told == text:
        return text
    return _OF_USER.sub(lambda match: _THEM[match[1].lower()], told)


@functools.cache
def _months(code: str) -> regex.Pattern[str]:
    names = "|".join(sorted(map(regex.escape, full_names_of(code)), key=len, reverse=True))
    return _compiled(
        rf"(?<=\d(?:st|nd|rd|th|er)? )({names})\b\.?(?! \p{{L}}+ \d)|\b({names})\b\.?(?= \d)"
    )


def _full(match: regex.Match[str], code: str) -> str:
    return full_names_of(code)[(match[1] or match[2]).lower()]


# --- single words -------------------------------------------------------------------------

_OUR = _compiled(
    r"^(neighb|col|fav|harb|lab|flav|hon|hum|behavi|rum|od|vap|vig|arm|parl|endeav|sav|ard|gland)"
    r"our"
)
_ISE = _compiled(r"^(\p{L}{4,})is(e|ed|es|er|ers|ing|ation|ations)$")
_DOUBLED = _compiled(r"^(trave|cance|labe|mode|leve|tota|fue|counse|marve|jewe)ll(\p{L}+)$")
_AMERICAN = {
    "grey": "gray", "theatre": "theater", "theatres": "theaters", "centre": "center",
    "centres": "centers", "metre": "meter", "metres": "meters", "litre": "liter",
    "litres": "liters", "fibre": "fiber", "programme": "program", "programmes": "programs",
    "cheque": "check", "cheques": "checks", "tyre": "tire", "tyres": "tires", "licence": "license",
    "practise": "practice", "practised": "practiced", "practises": "practices",
    "practising": "practicing", "defence": "defense", "offence": "offense",
    "catalogue": "catalog", "dialogue": "dialog", "jewellery": "jewelry", "pyjamas": "pajamas",
    "aeroplane": "airplane", "plough": "plow", "mould": "mold", "sceptical": "skeptical",
    "aluminium": "aluminum", "yoghurt": "yogurt", "moustache": "mustache", "storey": "story",
    "mum": "mom", "enrol": "enroll", "fulfil": "fulfill",
}  # fmt: skip
TELLING = frozenset(
    """pêché pêchés pêchée péché péchés mûr mûrs mûre mûres sûr sûrs sûre sûres tâche tâches dû maïs pêche pêches pêcher pêcheur
    jeûne jeûner forêt forêts pâte pâtes pâté pâtés côte côtes côté côtés mâle mâles rôt boîte
    hâle châsse bâiller là où à résumé résumés rosé exposé pâtre crû mât mâts jeûnes pécher péché
    pécheur été prêt prêts haï""".split()  # noqa: SIM905
)
"""Words that another accent makes another word."""
_FINAL = regex.compile(r"é(?:e?s?)$")


def spelt(word: str, language: str) -> str:
    """A folded word in one spelling of its language."""
    word = word.replace("œ", "oe").replace("æ", "ae")
    if language == "en":
        word = plain(word) if word not in TELLING else word
        word = _AMERICAN.get(word, word)
        return _DOUBLED.sub(r"\1l\2", _ISE.sub(r"\1iz\2", _OUR.sub(r"\1or", word)))
    if language != "fr" or word in TELLING:
        return word
    ending = _FINAL.search(word)
    if ending is None:
        return plain(word)
    return plain(word[: ending.start()]) + str(ending.group())


def plain(word: str) -> str:
    """A word without its accents."""
    if word.isascii():
        return word
    taken = unicodedata.normalize("NFD", word)
    return unicodedata.normalize("NFC", "".join(c for c in taken if c not in _ACCENTS))


_ACCENTS = frozenset("\u0300\u0301\u0302\u0308\u0327")
