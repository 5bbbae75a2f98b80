"""Amounts with a unit: "450 euros", "€450", "EUR 450.00" and the same in words.

Invariant: an amount is no bare number; 450 euros and 450 grams have no key in common.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from palimpsest.language.surface_forms.fold import Plain
from palimpsest.language.surface_forms.spelled import LANGUAGES, whole

_CURRENCIES = {
    "eur": ("€", "eur", "euro", "euros"),
    "usd": ("$", "usd", "dollar", "dollars", "dolares", "dollari", "us$"),
    "gbp": ("£", "gbp", "pound", "pounds", "quid", "livres", "pfund", "libras", "sterline"),
    "chf": ("chf", "franc", "francs", "franken", "francos", "franchi"),
    "brl": ("r$", "brl", "reais", "real"),
    "jpy": ("¥", "jpy", "yen"),
}
_CODE = {name: code for code, names in _CURRENCIES.items() for name in names}
_MONEY = "|".join(sorted(map(re.escape, _CODE), key=len, reverse=True))
_NUMBER = r"(?P<number>\d{1,3}(?:[.,' ]\d{3})+(?:[.,]\d{1,2})?|\d+(?:[.,]\d{1,2})?)"
_AFTER = re.compile(
    rf"(?<![a-z0-9.,-]){_NUMBER}\s?(?P<unit>(?:{_MONEY})(?![a-z0-9])|[a-z]{{1,12}}(?![a-z0-9]))"
)
_BEFORE = re.compile(rf"(?<![a-z0-9])(?P<unit>{_MONEY})\s?{_NUMBER}(?![a-z0-9]|[.,]\d)")
_MOST_DIGITS = 9


class Amount(NamedTuple):
    """An amount at ``start`` to ``end`` of a folded text."""

    start: int
    end: int
    key: str
    number: str
    unit: str


def amounts(text: Plain) -> Iterator[Amount]:
    """The amounts of a folded text."""
    for pattern in (_AFTER, _BEFORE):
        for match in pattern.finditer(text.text):
            number, unit = _number(match["number"]), _CODE.get(match["unit"], match["unit"])
            yield Amount(match.start(), match.end(), f"q:{number}:{unit}", number, match["unit"])


def spelled_amounts(amount: Amount) -> frozenset[str]:
    """An amount of whole units in words, in every language, without blanks."""
    if not amount.number.isdigit() or len(amount.number) > _MOST_DIGITS:
        return frozenset()
    units = _CURRENCIES.get(_CODE.get(amount.unit, ""), (amount.unit,))
    return frozenset(
        form + unit
        for language in LANGUAGES
        for form in whole(amount.number, language)
        for unit in units
        if unit.isalpha()
    )


def _number(written: str) -> str:
    """Digits with a point before the cents, if there are any."""
    found = re.fullmatch(r"(.*?)[.,](\d{1,2})", written)
    base, cents = (found[1], found[2]) if found else (written, "")
    digits = re.sub(r"\D", "", base).lstrip("0") or "0"
    cents = cents.ljust(2, "0").rstrip("0") if cents else ""
    return f"{digits}.{cents.ljust(2, '0')}" if cents else digits
