"""Dates as they are written, in six languages, each as the keys of what it may mean.

``date`` is a day of a year, ``day`` one of any year, ``ym`` a month of a year. Where figures
may be read in two ways (03/05) both readings are keys of a text; two texts in figures alone
are compared as they are written.

Invariant: a text with another year, month or day has no key in common.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from datetime import date
from typing import NamedTuple

from babel.dates import get_month_names

from palimpsest.language.surface_forms.fold import Plain, plain
from palimpsest.language.surface_forms.spelled import ordinals

_LOCALES = ("en", "fr", "de", "es", "it", "pt")


class Dated(NamedTuple):
    """A date at ``start`` to ``end`` of a folded text, with its keys."""

    start: int
    end: int
    keys: frozenset[str]
    """What a text that holds it says."""
    sought: frozenset[str]
    """What is looked for where it is the value."""


def dates(text: Plain) -> Iterator[Dated]:
    """The dates of a folded text."""
    named = _named_month().search(text.text)
    if not named and not _DIGITS.search(text.text):
        return
    for pattern, read in _patterns()[0 if named else _IN_FIGURES :]:
        for match in pattern.finditer(text.text):
            if made := read(match):
                yield made


def dated(lowered: str) -> bool:
    """False where a quick look shows that a text in small letters holds no date."""
    if not lowered.isascii():
        return True
    return bool(_DIGITS.search(lowered) or _named_month().search(lowered))


_DIGITS = re.compile(r"\d\s?[-/.年]\s?\d")
_IN_FIGURES = 3
"""The patterns from here on need no month by name."""


@functools.cache
def _named_month() -> re.Pattern[str]:
    return re.compile(rf"(?<![a-z])(?:{'|'.join(map(re.escape, months()))})(?![a-z])")


@functools.cache
def months() -> dict[str, int]:
    """Folded month names, long and short, to their numbers."""
    found: dict[str, int] = {}
    for locale in _LOCALES:
        for width in ("wide", "abbreviated"):
            for context in ("format", "stand-alone"):
                for number, name in get_month_names(width, context, locale).items():
                    found[plain(name).text.rstrip(".")] = number
    return found | {"sept": 9, "setembro": 9, "maerz": 3}


@functools.cache
def _patterns() -> tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Dated | None]], ...]:
    month = "|".join(sorted(map(re.escape, months()), key=len, reverse=True))
    words = "|".join(
        word.replace(" ", r"[\s-]+") for word in sorted(ordinals(), key=len, reverse=True)
    )
    day = rf"(?P<day>\d{{1,2}}|{words})"
    of = r"(?:st|nd|rd|th|er|\.|[ºªo](?=\s))?[\s-]{0,3}(?:(?:of|de|di|d')\s*)?"
    year = r"(?P<year>\d{4})"
    tail = rf"(?:\.?[\s,-]{{1,3}}(?:(?:of|de|del|di)\s+)?{year})?(?![a-z0-9])"
    begins = r"(?<![a-z0-9.,/-])"
    return (
        (re.compile(rf"{begins}{day}{of}(?P<month>{month}){tail}"), _named),
        (re.compile(rf"{begins}(?P<month>{month})\.?\s{{1,2}}(?:the\s+)?{day}(?:st|nd|rd|th)?"
                    rf"(?!\d)(?:\s{{0,2}},?\s{{0,2}}{year})?(?![a-z0-9])"), _named),
        (re.compile(rf"{begins}(?P<month>{month})\.?,?\s{{1,2}}(?:(?:of|de|del|di)\s+)?{year}(?![a-z0-9])"),
         _month_of_year),
        (re.compile(rf"{begins}{year}(?P<s>[-/.])(?P<month>\d{{1,2}})(?P=s)(?P<day>\d{{1,2}})(?![a-z0-9]|[-/.]\d)"),
         _named),
        (re.compile(r"(?P<year>\d{4})\s?年\s?(?P<month>\d{1,2})\s?月\s?(?P<day>\d{1,2})\s?日"), _named),
        (re.compile(rf"{begins}(?P<a>\d{{1,2}})\s?(?P<s>[-/.])\s?(?P<b>\d{{1,2}})\s?(?P=s)\s?"
                    r"(?P<year>\d{4}|\d{2})(?![a-z0-9]|[-/.]\d)"), _figures),
        (re.compile(rf"{begins}(?P<month>\d{{1,2}})/(?P<year>\d{{4}})(?![a-z0-9]|[-/.]\d)"), _month_of_year),
    )  # fmt: skip


def _named(match: re.Match[str]) -> Dated | None:
    written = re.sub(r"[\s-]+", " ", match["day"])
    day = int(written) if written.isdigit() else ordinals()[written]
    month = months().get(match["month"]) or int(match["month"])
    year = int(match["year"]) if match["year"] else None
    if not _exists(year or 2000, month, day):
        return None
    short = f"{month:02}-{day:02}"
    if year is None:
        return Dated(match.start(), match.end(), frozenset({f"day:{short}"}),
                     frozenset({f"day:{short}", f"ofyear:{short}"}))  # fmt: skip
    iso = f"{year:04}-{short}"
    return Dated(
        match.start(), match.end(), frozenset({f"date:{iso}", f"ofyear:{short}"}),
        frozenset({f"date:{iso}", f"maybe:{iso}", f"day:{short}"}),
    )  # fmt: skip


def _month_of_year(match: re.Match[str]) -> Dated | None:
    month = months().get(match["month"]) or int(match["month"])
    if not 1 <= month <= 12:
        return None
    found = frozenset({f"ym:{match['year']}-{month:02}"})
    return Dated(match.start(), match.end(), found, found)


def _figures(match: re.Match[str]) -> Dated | None:
    """Day first or month first: what can be either is looked for as both."""
    a, b, year = int(match["a"]), int(match["b"]), int(match["year"])
    year += 2000 if year < 100 else 0
    readings = {(year, m, d) for m, d in ((b, a), (a, b)) if _exists(year, m, d)}
    if not readings:
        return None
    iso = {f"{y:04}-{m:02}-{d:02}" for y, m, d in readings}
    short = {text[5:] for text in iso}
    written = f"figures:{a:02}-{b:02}-{year}"
    if len(iso) == 1:
        (only,) = iso
        return Dated(
            match.start(), match.end(), frozenset({f"date:{only}", f"ofyear:{only[5:]}", written}),
            frozenset({f"date:{only}", f"maybe:{only}", f"day:{only[5:]}", written}),
        )  # fmt: skip
    return Dated(
        match.start(), match.end(),
        frozenset({*(f"maybe:{i}" for i in iso), *(f"ofyear:{s}" for s in short), written}),
        frozenset({*(f"date:{i}" for i in iso), *(f"day:{s}" for s in short), written}),
    )  # fmt: skip


def _exists(year: int, month: int, day: int) -> bool:
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True
