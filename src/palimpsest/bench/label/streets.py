"""Street addresses and postcodes of six languages, and which words of them stay.

Invariant: pure functions; the words that say what kind of street it is stay.
"""

from __future__ import annotations

from collections.abc import Iterator

import regex

from palimpsest.language.word_list import folded

_BEHIND = (
    "street", "st", "road", "rd", "avenue", "ave", "lane", "ln", "drive", "dr", "way", "court",
    "ct", "square", "sq", "terrace", "boulevard", "blvd", "close", "grove", "gardens", "crescent",
    "mews", "hill", "row", "place", "park", "parkway", "pkwy", "highway", "hwy", "circle", "trail",
    "walk", "green", "rise", "vale", "view", "path", "alley", "quay", "wharf", "loop", "yard",
)  # fmt: skip
_FRENCH = (
    "rue", "avenue", "av", "boulevard", "bd", "place", "chemin", "impasse", "quai", "all\u00e9e",
    "cours", "route", "square",
)  # fmt: skip
_GERMAN = (
    "stra\u00dfe", "strasse", "str", "platz", "gasse", "allee", "ufer", "weg", "ring", "damm",
    "markt", "graben", "steig", "chaussee",
)  # fmt: skip
_ROMANCE = (
    "calle", "c/", "avenida", "av", "avda", "plaza", "pza", "paseo", "camino", "carretera", "ronda",
    "glorieta", "via", "viale", "vicolo", "piazza", "corso", "strada", "rua", "pra\u00e7a",
    "travessa", "largo", "alameda", "estrada", "beco",
)  # fmt: skip
_OTHERS = ["bis", "ter", "postcode", "plz", "cap", "cp", "zip"]
_STAYING = frozenset(map(folded, (*_BEHIND, *_FRENCH, *_GERMAN, *_ROMANCE, *_OTHERS)))
ENDINGS = (*_GERMAN, "hof")
"""What ends the one word of a German street."""
_JOINED = "|".join
_PLACE = r"\p{Lu}[\p{L}\p{M}'\u2019-]*"
_STREET = regex.compile(
    rf"""
      \b\d{{1,5}}[a-zA-Z]?,?\s(?:\p{{Lu}}[\p{{L}}'\u2019.-]*\s){{1,3}}(?i:{_JOINED(_BEHIND)})\b\.?(?<=[\p{{L}}.])
    | \b\d{{1,5}}(?:\s?(?:bis|ter))?,?\s(?i:{_JOINED(_FRENCH)})\b\.?\s
        (?:(?:de|du|des|la|le|les)\s|[ld]['\u2019])*{_PLACE}(?:\s{_PLACE})*
    | \b\p{{Lu}}[\p{{L}}-]*(?:{_JOINED(ENDINGS)})\.?\s\d{{1,4}}(?:\s?[a-z]\b)?
    | \b{_PLACE}\s(?:Stra\u00dfe|Strasse|Str\.|Platz|Gasse|Allee|Ufer|Weg|Ring|Damm|Markt)\s\d{{1,4}}(?:\s?[a-z]\b)?
    | \b(?:[Aa]m|[Ii]m|[Zz]um|[Zz]ur|[Aa]n\sder|[Aa]uf\sdem|[Aa]uf\sder|[Ii]n\sder|[Uu]nter\sden)\s(?!\p{{L}}+tag\b)
        {_PLACE}(?:\s{_PLACE})?\s\d{{1,4}}(?:[a-z]\b)?(?!\s?(?:Uhr|h\b|%|\p{{L}}|[:.,]\d))
    | (?<!\w)(?i:{_JOINED(_ROMANCE)})\.?\s?(?:(?:de|del|della|dei|do|da|dos|das|la|las|los|el|san|santa)\s)*
        {_PLACE}(?:\s(?:(?:de|del|della|do|da|dos|das|la|los)\s)*{_PLACE})*,?\s(?:n\.?[\u00bao]?\s?)?\d{{1,5}}
    | \b[A-Z]{{1,2}}\d[A-Z\d]?\s\d[A-Z]{{2}}\b
    """,
    regex.VERBOSE,
)
_POSTCODE = regex.compile(
    r"""(?<=(?:^|[,;:(\n\u2013-]\s?|\b(?i:in|\u00e0|en|a|em|aus|nach|bei|plz|cap|cp|zip|postal|postcode|is|ist|est|es|\u00e8|\u00e9)\s))
    (?:[A-Z]{1,2}-)?\d{5}(?=\s(?!(?:Euro|Dollar|Franken|Pfund|Yen|Jahr|Tag|Woche|Stunde|Minute|Meter|Kilometer|
        Schritt|Leute|Mensch|Einwohner|Mitarbeiter|St\u00fcck|Teile?|Watt|Mal|Kilo)\p{Ll}*\b)\p{Lu}\p{Ll})
    | \b[A-Z]{2}\s\d{5}(?:-\d{4})?\b
    | \b\d{4}-\d{3}(?=\s\p{Lu})""",
    regex.VERBOSE,
)
"""Digits before a town, or behind a state; before what is counted they are an amount."""

_TOWN = regex.compile(rf"\s(?P<town>{_PLACE})")


def addresses(text: str) -> Iterator[tuple[int, int]]:
    """Where a street with its number stands, or a postcode."""
    for street in _STREET.finditer(text):
        yield street.start(), street.end()
    for code in _POSTCODE.finditer(text):
        yield code.start(), code.end()


def towns(text: str) -> Iterator[tuple[int, int]]:
    """The name of the town behind a postcode."""
    for code in _POSTCODE.finditer(text):
        if town := _TOWN.match(text, pos=code.end()):
            yield town.span("town")


def is_street_word(word: str) -> bool:
    """True for the word that says what kind of street it is."""
    return folded(word) in _STAYING
