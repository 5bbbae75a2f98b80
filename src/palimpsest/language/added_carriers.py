"""The carriers of a text that another text does not hold: numbers, dates, names, identifiers.

A number may be written in letters or with other marks, and a day may be the date of the
relative day that was said. Names are told by their capital letter inside a sentence; German
writes every noun so, and there a name is told by the word before it. Invariant: a pure
function; the name that opens a text is not looked at, since any word may open one.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta

import regex
from babel import Locale

from palimpsest.language import lexicon
from palimpsest.language.guess import languages_of
from palimpsest.language.identifiers import identifiers
from palimpsest.language.number_words import number_words
from palimpsest.language.validity import validity
from palimpsest.language.word_list import folded, word_list

_ISO = regex.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")
_NUMBER = regex.compile(r"\d+(?:[.,'\u2019\u00a0\u202f ]\d{3}(?!\d))*(?:[.,]\d+)?")
_NAME = regex.compile(r"\b\p{Lu}[\p{L}\p{M}'\u2019-]*\p{L}\b|\b\p{Lu}{2,}\b")
_LONG = 4
"""Digits that are one number however they are grouped: "44 17"."""
_OPENS = regex.compile(r"(?:^|[.!?:;\n\u2026])[\s\"'“”«»(*-]*$")
_GERMAN_NAME = regex.compile(r"(?:\b(?:in|bei|nach|aus|heißt|namens)\s+)$", regex.IGNORECASE)
_SPEAKER = frozenset(
    [
        "i",
        "i'm",
        "i've",
        "i'd",
        "i'll",
        "user",
        "utilisateur",
        "utilisatrice",
        "nutzer",
        "nutzerin",
        "benutzer",
        "benutzerin",
        "usuario",
        "usuaria",
        "utente",
        "usuário",
        "usuária",
        "utilizador",
        "utilizadora",
        "assistant",
    ]
)


def added_carriers(copy: str, said: str, said_at: str = "") -> tuple[str, ...]:
    """The carriers of ``copy`` that ``said`` (at ``said_at``) does not hold, as they are written."""
    if folded(copy) in folded(said):
        return ()
    days = _days(said, said_at)
    rest = copy
    added = []
    for found in _ISO.finditer(copy):
        if found.group() not in said and not _is_day(found, days):
            added.append(found.group())
        rest = rest.replace(found.group(), " ")
    added += _numbers_added(rest, said, days)
    added += [text for text in identifiers(rest) if not _stands(text, said, days)]
    added += _calendar_added(rest, said, days)
    added += _names_added(copy, said)
    return tuple(dict.fromkeys(added))


# --- numbers ----------------------------------------------------------------------------


def _numbers_added(copy: str, said: str, days: frozenset[date]) -> Iterator[str]:
    known = set(_numbers(said)) | {str(value) for _, value in _counted(said)}
    known |= {str(day.year) for day in days}
    digits = regex.sub(r"\D", "", said)
    for found in _NUMBER.finditer(copy):
        grouped = regex.sub(r"\D", "", found.group())
        if _plain(found.group()) not in known and (len(grouped) < _LONG or grouped not in digits):
            yield found.group()
    for word, value in _counted(copy):
        if str(value) not in known:
            yield word


def _numbers(text: str) -> Iterator[str]:
    """Every number, and the parts of what may be two: "14:30", "10, 20"."""
    for found in _NUMBER.finditer(text):
        yield _plain(found.group())
    yield from (_plain(digits) for digits in regex.findall(r"\d+", text))


def _plain(number: str) -> str:
    """Without marks between thousands, zeros before, and with one decimal mark."""
    whole = regex.sub(r"[.,'\u2019\u00a0\u202f ](?=\d{3}(?:\D|$))", "", number)
    return whole.replace(",", ".").lstrip("0") or "0"


def _counted(text: str) -> list[tuple[str, int]]:
    known = {word: n for code in languages_of(text) for word, n in number_words(code).items()}
    return [(word, known[word]) for word in word_list(text) if word in known]


# --- days -------------------------------------------------------------------------------


def _days(said: str, said_at: str) -> frozenset[date]:
    """The day of saying, and the days that the text names by their distance or their name."""
    try:
        said_on = datetime.fromisoformat(said_at)
    except ValueError:
        return frozenset()
    now = (said_on.astimezone(UTC) if said_on.tzinfo else said_on).date()
    holds = validity(said, said_at)
    found = {now}
    if holds.valid_from:
        found.add(datetime.fromisoformat(holds.valid_from).date())
    if holds.valid_until:
        # An end is exclusive: the day before it is the last one.
        end = datetime.fromisoformat(holds.valid_until).date()
        found |= {end, end - timedelta(days=1)}
    return frozenset(found)


def _is_day(found: regex.Match[str], days: frozenset[date]) -> bool:
    return any(found.group() == day.isoformat() for day in days)


def _calendar_added(copy: str, said: str, days: frozenset[date]) -> Iterator[str]:
    """Names of days and months, whatever the language, that were not said."""
    known = {_calendar()[word] for word in word_list(said) if word in _calendar()}
    known |= {("day", day.weekday()) for day in days} | {("month", day.month) for day in days}
    for word in word_list(copy):
        place = _calendar().get(word)
        if place is not None and place not in known and word not in word_list(said):
            yield word


@functools.cache
def _calendar() -> dict[str, tuple[str, int]]:
    """Each full name of a day or a month that is no other word."""
    found: dict[str, tuple[str, int]] = {}
    for code in lexicon.names():
        locale = Locale(code)
        for kind, names in (("day", locale.days), ("month", locale.months)):
            for number, name in names["format"]["wide"].items():
                found[folded(name).removesuffix("-feira")] = (kind, number)
    return {word: place for word, place in found.items() if word not in _WORDS_TOO}


_WORDS_TOO = frozenset({"may", "march", "mars", "mai", "maio", "marzo", "segunda", "quarta",
                        "quinta", "sexta", "terça", "sabato"})  # fmt: skip


# --- names and identifiers --------------------------------------------------------------


def _stands(text: str, said: str, days: frozenset[date]) -> bool:
    flat = folded(said)
    digits = regex.sub(r"\D", "", text)
    same = len(digits) >= _LONG and digits in regex.sub(r"\D", "", said)
    return folded(text) in flat or (text.replace(" ", "") == digits and same) or text in {
        str(day.year) for day in days
    }  # fmt: skip


def _names_added(copy: str, said: str) -> Iterator[str]:
    known = set(word_list(said))
    german = languages_of(copy)[:1] == ("de",)
    for found in _NAME.finditer(copy):
        word = folded(found.group()).removesuffix("'s")
        before = copy[: found.start()]
        if _OPENS.search(before) or word in _SPEAKER or word in _calendar():
            continue
        if german and not _GERMAN_NAME.search(before) and not found.group().isupper():
            continue
        if not set(word_list(word)) <= known:
            yield found.group()
