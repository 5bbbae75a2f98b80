"""Finds what is personal in a text: addresses, numbers, names, dates, each with its kind.

It leans to finding too much: a value that is masked without need reads oddly, one that is not
masked is given away. Invariant: pure functions; the spans of ``personal`` are in order and apart.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import Literal, NamedTuple, get_args

import regex
from babel import Locale

from palimpsest.bench.label.accounts import machines_in
from palimpsest.bench.label.checksums import is_card, is_iban
from palimpsest.bench.label.relatives import called, relatives
from palimpsest.bench.label.streets import addresses, towns
from palimpsest.extract import grammar as grammars
from palimpsest.language.calendar_words import all_names
from palimpsest.language.carriers import carriers
from palimpsest.language.guess import languages_of
from palimpsest.language.identifiers import identifiers
from palimpsest.language.sentences import sentence_spans
from palimpsest.language.stop_words import stop_words
from palimpsest.language.surface_forms.dates import dates
from palimpsest.language.surface_forms.fold import plain
from palimpsest.language.surface_forms.quantities import amounts
from palimpsest.language.word_list import folded, word_list

Kind = Literal[
    "url",
    "e-mail",
    "iban",
    "card",
    "phone",
    "address",
    "date",
    "identifier",
    "secret",
    "name",
    "account",
]
KINDS: tuple[Kind, ...] = get_args(Kind)
"""From what is told surest to what is told least; the surer kind keeps a span."""


class Found(NamedTuple):
    """One personal value at ``start`` to ``end`` of a text."""

    start: int
    end: int
    kind: Kind


_URL = re.compile(r"(?:\b[a-z][a-z0-9+.-]*://|www\.)[^\s<>\"'`\u00ab\u00bb]+", re.IGNORECASE)
_MAIL = re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]){11,30}\b", re.IGNORECASE)
_DIGITS = re.compile(r"(?<![\w.,/])(?:\+|\(\+?)?\d(?:[ \u00a0\u202f().\-/]{0,2}\d){6,18}(?!\w)")
_TITLED = regex.compile(
    r"\b(?:Mr|Mrs|Ms|Miss|Dr|Prof|Herrn?|Frau|Mme|Mlle|Monsieur|Madame|Sr|Sra|Señora?|Doña|Sig|"
    r"Signora?|Dott|Senhora?)\b\.?\s(?P<name>\p{Lu}[\p{L}\p{M}'-]+)"
)
_MIXED = re.compile(r"\b(?=[A-Za-z\d]*[A-Za-z])(?:\d[A-Za-z]?){6,}\b")
"""Many digits with letters among them."""
_TIME = re.compile(r"\d{1,2}\s?[hH:]\s?\d{0,2}")
_HANDLE = re.compile(r"(?<![\w@./])@[A-Za-z_][\w.]{1,29}\b")
"""The name of an account; its sign stays."""
_TOLD_NAME = regex.compile(
    r"""\b(?i:my\s(?:full\s|first\s|last\s)?name\sis|call\sme|i\s?am\scalled|mein\sname\sist|
    ich\shei(?:\u00df|ss)e|je\sm['\u2019]appelle|mon\snom\sest|me\sllamo|mi\snombre\ses|mi\schiamo|
    il\smio\snome\s\u00e8|(?:eu\s)?me\schamo|chamo-me|(?:o\s)?meu\snome\s\u00e9)\s
    (?P<name>[\p{L}\p{M}'-]+(?:\s[\p{L}\p{M}'-]+){0,2})""",
    regex.VERBOSE,
)
"""People who write without capitals still say what they are called."""
_TITLES = frozenset(
    ["mr", "mrs", "ms", "miss", "dr", "prof", "sir", "madam", "herr", "herrn", "frau", "fr", "m", "mme", "mlle", "monsieur", "madame", "mademoiselle", "sr", "sra", "señor", "señora", "señorita", "don", "doña", "sig", "sig.ra", "signor", "signora", "signore", "dott", "senhor", "senhora", "dona", "yes", "no", "ok", "okay", "hi", "hello", "hey", "dear", "thanks", "thank", "please", "sure", "note", "noted", "fine", "great", "sorry", "ai", "llm", "api", "id", "pin", "iban", "url", "faq", "tv", "usa", "uk", "eu", "i"]
)  # fmt: skip
_NAMED = regex.compile(
    r"(?:\b(?:hei(?:\u00dft|\u00dfe|sst|sse)|namens|genannt|bin|bei|mit|von|nach|in|aus|Name(?:\sist)?|"
    r"Firma|Herrn?|Frau|Dr\.?|Prof\.?|an|f\u00fcr|statt|Mann|Schwester|Bruder|Mutter|Vater|Tochter|Sohn|"
    r"Freund(?:in)?|Kolleg(?:e|in)|Chef(?:in)?|Onkel|Tante|Oma|Opa|Nachbar(?:in)?)\s)$"
)
"""What stands before a name in German, whose nouns are capitalised too."""
_PREVIOUS = regex.compile(r"(\p{L}+)\s$")
_WORD = regex.compile(r"[\p{L}\p{M}]+(?:['\u2019-][\p{L}\p{M}]+)*")
_RUN = regex.compile(
    r"(?<=[\p{Ll},;:]\s)\p{Lu}[\p{Ll}\p{M}]+(?:[ -]\p{Lu}[\p{Ll}\p{M}]+)*(?![\p{L}\d])"
)
"""Capitalised words within a sentence."""
_LEAST_NAME = 2


def personal(text: str) -> tuple[Found, ...]:
    """What is personal in a text, from left to right."""
    found: list[Found] = []
    for each in _candidates(text):
        if all(each.end <= old.start or old.end <= each.start for old in found):
            found.append(each)
    return tuple(sorted(found))


def names_in(text: str) -> Iterator[str]:
    """The words of the names of a text, also within what is personal as a whole."""
    for start, end, kind in personal(text):
        if kind == "name":
            for word in _WORD.finditer(text, pos=start, endpos=end):
                said = regex.sub(r"['\u2019]s?$", "", word.group())
                if _is_name(said):
                    yield said


def _candidates(text: str) -> Iterator[Found]:
    for match in _URL.finditer(text):
        end = match.start() + len(match.group().rstrip(".,;:!?)]}"))
        yield Found(match.start(), end, "url")
    for match in _MAIL.finditer(text):
        yield Found(match.start(), match.end(), "e-mail")
    yield from _accounts(text)
    said = [Found(d.start, d.end, "date") for d in _dates(text)]
    yield from said
    for start, end in machines_in(text):
        yield Found(start, end, "identifier")
    for start, end in addresses(text):
        yield Found(start, end, "address")
    yield from _numbers(text)
    yield from _identifiers(text)
    for mixed in _MIXED.finditer(text):
        yield Found(mixed.start(), mixed.end(), "identifier")
    for handle in _HANDLE.finditer(text):
        yield Found(handle.start() + 1, handle.end(), "identifier")
    for start, end in (*towns(text), *relatives(text)):
        if folded(text[start:end]) not in _TITLES:
            yield Found(start, end, "name")
    for start, end in called(text):
        if folded(text[start:end]) not in known_words() | _TITLES:
            yield Found(start, end, "name")
    yield from _names(text)
    yield from _small_elsewhere(text)
    yield from _told_names(text)


def _dates(text: str) -> Iterator[Found]:
    folded_text = plain(text)
    for said in dates(folded_text):
        start, end = folded_text.origin[said.start], folded_text.ends[said.end - 1]
        yield Found(start, end, "date")


def _accounts(text: str) -> Iterator[Found]:
    for match in _IBAN.finditer(text):
        for end in range(match.end(), match.start() + 14, -1):
            if is_iban("".join(filter(str.isalnum, text[match.start() : end]))):
                yield Found(match.start(), end, "iban")
                break
    for match in _DIGITS.finditer(text):
        if is_card("".join(filter(str.isdigit, match.group()))):
            yield Found(match.start(), match.end(), "card")


def _numbers(text: str) -> Iterator[Found]:
    for match in _DIGITS.finditer(text):
        digits = "".join(filter(str.isdigit, match.group()))
        if len(digits) <= 17 and not re.fullmatch(r"\d{1,3}(?:[.,\u00a0 ]\d{3})+", match.group()):
            start = match.start() + (match.group()[0] == "(" and ")" not in match.group())
            yield Found(start, match.end(), "phone")


def _identifiers(text: str) -> Iterator[Found]:
    for first, last in sentence_spans(text):
        sentence = text[first:last]
        folded_text = plain(sentence)
        counted = [
            (folded_text.origin[a.start], folded_text.ends[a.end - 1]) for a in amounts(folded_text)
        ]
        for value in sorted(identifiers(sentence), key=len, reverse=True):
            kind: Kind = "identifier" if any(map(str.isdigit, value)) else "secret"
            if _TIME.fullmatch(value):
                continue
            for match in re.finditer(rf"(?<!\w){re.escape(value)}(?!\w)", sentence):
                if not any(start < match.end() and match.start() < end for start, end in counted):
                    yield Found(first + match.start(), first + match.end(), kind)


def _names(text: str) -> Iterator[Found]:
    """Every word of a name, and the whole of a name that has several."""
    german = languages_of(text)[:1] == ("de",)
    for start, end in _capitalised(text):
        words = list(_name_words(text, start, end, german=german))
        if len(words) > 1 and (words[0][0], words[-1][1]) == (start, end):
            yield Found(start, end, "name")
        for first, last in words:
            yield Found(first, last, "name")


def _capitalised(text: str) -> Iterator[tuple[int, int]]:
    """Names as carriers, and runs of capitalised words that are no carrier of a sentence."""
    for carrier in carriers(text):
        if carrier.kind == "name":
            yield carrier.start, carrier.end
    for run in _RUN.finditer(text):
        yield run.start(), run.end()


def _name_words(text: str, start: int, end: int, *, german: bool) -> Iterator[tuple[int, int]]:
    """The words that name somebody; beside one that does, a country is a surname."""
    found = []
    for word in _WORD.finditer(text, pos=start, endpos=end):
        said = regex.sub(r"['\u2019]s?$", "", word.group())
        if not (german and not _is_german_name(text, word.start(), start)):
            found.append((word.start(), word.start() + len(said), said))
    named = [_is_name(said) for *_, said in found]
    for (first, last, said), is_name in zip(found, named, strict=True):
        if is_name or (any(named) and said[:1].isupper() and folded(said) in countries()):
            yield first, last


def _small_elsewhere(text: str) -> Iterator[Found]:
    """Mia and Ella are small words in Italian and Spanish, and in English they are somebody."""
    languages = languages_of(text)[:1]
    if not languages or languages[0] == "de":
        return  # German writes every noun with a capital
    for run in _RUN.finditer(text):
        for word in _WORD.finditer(text, pos=run.start(), endpos=run.end()):
            said = regex.sub(r"['\u2019]s?$", "", word.group())
            if folded(said) in _others(languages[0]) and folded(said) not in _TITLES:
                yield Found(word.start(), word.start() + len(said), "name")


@functools.cache
def _others(language: str) -> frozenset[str]:
    """The small words of the other languages, without days, months and countries."""
    return known_words() - _small(language) - frozenset(all_names()) - countries()


def _told_names(text: str) -> Iterator[Found]:
    """The word behind a title, and those behind "my name is" up to the first that is no name."""
    for titled in _TITLED.finditer(text):
        yield Found(titled.start("name"), titled.end("name"), "name")
    for told in _TOLD_NAME.finditer(text):
        for word in _WORD.finditer(text, pos=told.start("name"), endpos=told.end("name")):
            plain_word = folded(word.group())
            if len(plain_word) < _LEAST_NAME or plain_word in known_words() | _TITLES:
                break
            yield Found(word.start(), word.end(), "name")


def _is_name(word: str) -> bool:
    plain_word = folded(word)
    if len(word) < _LEAST_NAME or not word[0].isupper() or (word.isupper() and len(word) < 5):
        return False
    return plain_word not in _TITLES and plain_word not in known_words()


def _is_german_name(text: str, start: int, first: int) -> bool:
    before = text[:start]
    if _NAMED.search(before):
        return True
    previous = _PREVIOUS.search(before)
    return (
        start > first
        and previous is not None
        and _is_name(previous[1])
        and (_is_german_name(text, start - len(previous.group()), first))
    )


@functools.cache
def countries() -> frozenset[str]:
    """Countries and widely spoken languages by their names in the six languages."""
    found: set[str] = set()
    for code in grammars.names():
        locale = Locale(code)
        spoken = (locale.languages.get(language, "") for language in _SPOKEN)
        # Of "Porto Rico" no word alone is a country.
        named = map(word_list, (*locale.territories.values(), *spoken))
        found |= {words[0] for words in named if len(words) == 1}
    return frozenset(found)


_SPOKEN = (
    "en", "de", "fr", "es", "it", "pt", "nl", "sv", "da", "no", "nb", "fi", "pl", "cs", "sk", "hu",
    "ro", "bg", "el", "tr", "ru", "uk", "ar", "he", "fa", "hi", "bn", "ur", "zh", "ja", "ko", "vi",
    "th", "id", "ms", "la", "ca", "eu", "gl", "sr", "hr", "sl", "et", "lv", "lt", "ga", "sw",
)  # fmt: skip


@functools.cache
def _small(code: str) -> frozenset[str]:
    held = grammars.load(code)
    lists = (held.first, held.subjects, held.corrections, held.orders, held.politeness,
             held.openers, held.forgets, held.verbs, held.copulas)  # fmt: skip
    return frozenset(stop_words(code)).union(
        word for phrases in lists for phrase in phrases for word in word_list(phrase)
    )


@functools.cache
def known_words() -> frozenset[str]:
    """Words with a capital that name nobody: days, months, languages, countries, small words."""
    return frozenset(all_names()).union(countries(), *map(_small, grammars.names()))
