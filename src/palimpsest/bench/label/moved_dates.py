"""Moves the dates of a text by one number of weeks, each in the form in which it is written.

Whole weeks keep the days of the week right. Invariant: the same day, however it is written,
moves to the same day; words around the date stay.
"""

from __future__ import annotations

import datetime as dt
import functools
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import regex
from babel import Locale

from palimpsest.language.guess import languages_of
from palimpsest.language.surface_forms.dates import dates, months
from palimpsest.language.surface_forms.fold import plain
from palimpsest.language.surface_forms.spelled import ordinals

_LANGUAGES = ("en", "de", "fr", "es", "it", "pt")
_USUAL = 2023
"""The year of a day that is told without one: no leap year."""
_TOKEN = regex.compile(r"\d+|[\p{L}\p{M}]+")


class Day(NamedTuple):
    """A date that a text tells; ``year`` and ``day`` are 0 where it tells none."""

    year: int
    month: int
    day: int


class Said(NamedTuple):
    """A date at ``start`` to ``end`` of a text."""

    start: int
    end: int
    day: Day


def said(text: str) -> Iterator[Said]:
    """The dates of a text with what they mean, from left to right and apart."""
    folded_text, last = plain(text), 0
    for found in sorted(dates(folded_text), key=lambda one: (one.start, -one.end)):
        start, end = folded_text.origin[found.start], folded_text.ends[found.end - 1]
        if start >= last and (meant := _meant(found.keys, text[start:end], text)):
            last = end
            yield Said(start, end, meant)


def _meant(keys: frozenset[str], written: str, text: str) -> Day | None:
    days = sorted(key for key in keys if key.startswith(("date:", "maybe:", "day:", "ym:")))
    if not days:
        return None
    if len(days) > 1:  # 03/05/2024: the month comes first in English alone
        first = int(re.match(r"\d+", written)[0])  # type: ignore[index]
        english = languages_of(text)[:1] == ("en",)
        days = [d for d in days if (int(d[-5:-3]) if english else int(d[-2:])) == first] or days
    parts = [int(part) for part in days[0].partition(":")[2].split("-")]
    if days[0].startswith("day:"):
        return Day(0, parts[0], parts[1])
    return Day(parts[0], parts[1], parts[2] if len(parts) == 3 else 0)


def moved(day: Day, weeks: int, years: Mapping[tuple[int, int], int]) -> Day:
    """A day so many weeks later; ``years`` tells in which year a day without one is."""
    year = day.year or years.get((day.month, day.day), _USUAL)
    try:
        then = dt.date(year, day.month, day.day or 15) + dt.timedelta(weeks=weeks)
    except (ValueError, OverflowError):
        then = dt.date(_USUAL, day.month, min(day.day or 15, 28)) + dt.timedelta(weeks=weeks)
    return Day(then.year if day.year else 0, then.month, then.day if day.day else 0)


def rewritten(written: str, old: Day, new: Day, text: str) -> str:
    """A date as it is written, with another day."""
    tokens = list(_TOKEN.finditer(written))
    roles = _roles([token.group() for token in tokens], old, text)
    made, at = "", 0
    for token, role in zip(tokens, roles, strict=True):
        made += written[at : token.start()] + _token(token.group(), role, new, text)
        at = token.end()
    return _with_ordinal(made + written[at:], new)


def _roles(tokens: list[str], old: Day, text: str) -> list[str]:
    """What each token tells: year, month, day, or nothing of it."""
    roles = [""] * len(tokens)
    open_to = {"year": old.year, "month": old.month, "day": old.day}
    numbers = [i for i, token in enumerate(tokens) if token.isdigit()]
    for i, token in enumerate(tokens):
        if not token.isdigit() and _month_of(token) == old.month and "month" in open_to:
            roles[i] = "month"
            del open_to["month"]
    english = languages_of(text)[:1] == ("en",)
    for i in numbers:
        number, long = int(tokens[i]), len(tokens[i]) == 4
        order = ("month", "day") if english and old.month != old.day else ("day", "month")
        for role in ("year",) if long else (*order, "year"):
            value = open_to.get(role)
            if value and number in (value, value % 100 if role == "year" else value):
                roles[i] = role
                del open_to[role]
                break
    if open_to.get("day"):
        spoken = [i for i, token in enumerate(tokens) if not roles[i] and _is_ordinal(token)]
        for place, i in enumerate(spoken):
            roles[i] = "day" if not place else "gone"
    return roles


def _token(token: str, role: str, new: Day, text: str) -> str:
    if role == "month" and not token.isdigit():
        return _month_name(token, new.month, text)
    if role == "gone":
        return ""
    if not role:
        return token
    value = {"year": new.year, "month": new.month, "day": new.day}[role]
    if role == "year" and len(token) == 2:
        value %= 100
    return f"{value:0{len(token)}}" if token.startswith("0") or role == "year" else str(value)


def _with_ordinal(written: str, new: Day) -> str:
    """An English ending that fits the number before it."""
    ending = "th" if 10 < new.day < 14 else {1: "st", 2: "nd", 3: "rd"}.get(new.day % 10, "th")
    return re.sub(rf"(?<!\d)({new.day})(?:st|nd|rd|th)\b", rf"\g<1>{ending}", written)


def _is_ordinal(token: str) -> bool:
    plain_word = plain(token).text
    return any(plain_word in re.split(r"[ -]", word) for word in ordinals())


def _month_of(token: str) -> int | None:
    return months().get(plain(token).text)


def _month_name(token: str, month: int, text: str) -> str:
    """Another month in the language, the length and the case of a written one."""
    wanted = plain(token).text
    likely = [*(c for c in languages_of(text) if c in _LANGUAGES), *_LANGUAGES]
    for language in likely:
        for width in ("wide", "abbreviated"):
            names = _names(language, width)
            if wanted in (plain(name).text.rstrip(".") for name in names.values()):
                name = names[month].rstrip(".")
                if token.isupper():
                    return name.upper()
                return name.capitalize() if token[0].isupper() else name.lower()
    return _names("en", "wide")[month]


@functools.cache
def _names(language: str, width: str) -> Mapping[int, str]:
    return dict(Locale(language).months["format"][width])
