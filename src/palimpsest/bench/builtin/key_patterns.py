"""Builds the answer keys of the built-in suites: numbers, date ranges, names, identifiers.

A key must find its value however an answer writes it, and nothing that only looks like it:
150 is not in 1,150 and not in 150.75, and 3 to 6 November is not in 13 to 16 November.
"""

from __future__ import annotations

import re

MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
_ORDINALS = {
    3: "third|three", 6: "sixth|six", 10: "tenth|ten", 13: "thirteenth|thirteen",
}  # fmt: skip
_WEEKDAY = r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?,?\s+)?"
_UNIT = (
    r"(?:[°%]|(?:k|km|m|cm|g|kg|kilomet\w*|met(?:er|re)s?|miles?|grams?|kilos?|degrees?|percent"
    r"|minutes?|hours?|days?|nights?|people|persons?|guests?|participants?|attendees?|pages?"
    r"|rooms?|seats?|times)\b)"
)
_START = r"(?:from|out|start\w*|begin\w*|arriv\w*|depart\w*|leav\w*|fly\w* out|check[- ]?in\w*)"
_END = (
    r"(?:until|till|to|end\w*|return\w*|back|finish\w*|leav\w*|depart\w*|check[- ]?out\w*|through)"
)


def number(value: int, spelled: str) -> str:
    """A whole number standing alone, in figures or words, that counts no other thing."""
    return (
        rf"(?<![\d.,])(?<!room )(?<!gate )(?<!page )(?<!note )(?<!flight ){value}(?:[.,]00)?(?!\d|[.,]\d|st\b|nd\b|rd\b|th\b)(?!\s*{_UNIT})"
        rf"|\b{spelled}\b"
    )


def identifier(text: str) -> str:
    """A code, whatever stands between its characters; a leading letter may be left out.

    It is no part of a longer number, nor of a longer word where it begins or ends with letters.
    """
    core = text.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ") or text
    spread = r"[\W_]{0,2}".join(re.escape(character) for character in core)
    before = r"(?<!\d)" if core[0].isdigit() else r"(?<![^\W_])"
    after = r"(?!\d)" if core[-1].isdigit() else r"(?![^\W_])"
    return f"{before}{spread}{after}"


def dates(first: int, last: int, month: int) -> str:
    """A range of days of one month: either order of day and month, ordinals, ISO, each day."""
    name = MONTHS[month - 1]
    mon = rf"(?:{name}|{name[:3]}\b\.?)"
    one, two = _day(first), _day(last, "")
    the = r"(?:on\s+|the\s+)*"
    year = r"(?:,?\s*\d{4})?"
    link = (
        rf"\.?\s*(?:-|–|—|→|->|to|until|till|through|thru|and|&|up to|up until)\s*"
        rf"(?:and\s+)?(?:including\s+)?{the}{_WEEKDAY}{the}"
    )
    of = rf"(?:(?:\.?\s*,?\s*(?:of\s+)?|-){mon}{year})"
    day_first = rf"{one}{of}?{link}{two}{of}"
    month_first = rf"{mon}\s+{the}{one}{year}{link}(?:{mon}\s+)?{the}{two}"
    ordinals = rf"{_ordinal(first)}{link}{_ordinal(last, '')}(?!\s*(?:of\s+)?{_other(month)})"
    labelled = rf"\bdates?\b[^\w\n]{{1,4}}(?:are\s+|from\s+)?{one}{link}{two}(?!\s*(?:of\s+)?{_other(month)})"
    days = r"\s*,\s*".join(rf"{day}(?:st|nd|rd|th)?" for day in range(first, last))
    listed = rf"(?<!\d){days}\s*,?\s*(?:and|&)\s*{two}{of}"
    iso = rf"\d{{4}}-{month:02}-{first:02}(?:\b[^\n]{{1,12}}?\d{{4}}-{month:02}-|/){last:02}\b(?!-)"
    slashes = rf"(?<!\d){first:02}[./]{month:02}\b[^\n]{{1,12}}?(?<!\d){last:02}[./]{month:02}\b"
    begun = rf"{_START}\W+{the}{_WEEKDAY}{the}{_dated(first, mon, of, month)}"
    ended = rf"{_END}\W+{the}{_WEEKDAY}{the}{_dated(last, mon, of, month)}"
    between = r"[^.]{0,40}?\b"
    out = rf"{_dated(first, mon, of, month)}\s+out\b"
    back = rf"{_dated(last, mon, of, month)}\s+back\b"
    apart = (
        begun + between + ended, ended + between + begun,
        rf"{out}\W+(?:and\s+)?{back}", rf"{back}\W+(?:and\s+)?{out}",
    )  # fmt: skip
    forms = (month_first, day_first, ordinals, labelled, listed, iso, slashes, *apart)
    return "|".join(forms)


def _day(day: int, hyphen: str = "-") -> str:
    """A day of a month; no ``hyphen`` before the first one, which would be an ISO date."""
    words = f"|{_ORDINALS[day]}" if day in _ORDINALS else ""
    return rf"(?<![\d.,/{hyphen}])(?:0?{day}(?:st|nd|rd|th)?{words})(?!\d|[.,/]\d|\w)"


def _dated(day: int, mon: str, of: str, month: int) -> str:
    """One day that is known to be of the month: named with it, or as an ordinal alone."""
    plain = _day(day)
    alone = rf"{_ordinal(day)}(?!\s*(?:of\s+)?{_other(month)})"
    return rf"(?:{mon}\s+(?:the\s+)?{plain}|{plain}{of}|{alone})"


def _ordinal(day: int, hyphen: str = "-") -> str:
    words = f"|{_ORDINALS[day].split('|')[0]}" if day in _ORDINALS else ""
    return rf"(?<![\d.,/{hyphen}])(?:{day}(?:st|nd|rd|th){words})(?!\w)"


def _other(month: int) -> str:
    others = (name for i, name in enumerate(MONTHS, start=1) if i != month)
    return "(?:" + "|".join(rf"{name}|{name[:3]}\b" for name in others) + ")"


def words(*forms: str) -> str:
    """Any of some words or phrases, each a small regular expression."""
    return r"\b(?:" + "|".join(forms) + r")\b"
