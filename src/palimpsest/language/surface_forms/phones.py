"""Telephone numbers with and without their country, as one.

The plans of the countries are those of ``phonenumbers``. Invariant: two numbers of two
countries have no key in common, unless one of them is written without its country.
"""

from __future__ import annotations

from collections.abc import Iterator

import phonenumbers

from palimpsest.language.surface_forms.tokens import Tokens

_LEAST, _MOST = 7, 15


def of_text(found: Tokens, first: int, last: int, digits: str) -> Iterator[str]:
    """The keys of a run of digit groups that reads as a telephone number."""
    if not _LEAST <= len(digits) <= _MOST + 2:
        return
    abroad = found.gaps[first].rstrip(" (").endswith("+")
    if abroad or digits.startswith("00"):
        if known := _parsed(digits.removeprefix("00") if not abroad else digits):
            country, rest = known
            yield f"t:{country}:{rest}"
            yield f"t<:{rest}"
    elif digits.startswith("0"):
        yield f"t>:{digits.lstrip('0')}"
    else:
        yield f"t>:{digits}"


def of_value(digits: str, *, abroad: bool) -> frozenset[str]:
    """The keys that a telephone number is looked for by."""
    if not _LEAST <= len(digits) <= _MOST + 2:
        return frozenset()
    if abroad or digits.startswith("00"):
        known = _parsed(digits if abroad else digits.removeprefix("00"))
        if known is None:
            return frozenset()
        country, rest = known
        return frozenset(
            {f"t:{country}:{rest}", f"t>:{rest}", f"d:{country}{rest}", f"d:{country}0{rest}",
             f"d:0{rest}", f"d:00{country}{rest}"}
        )  # fmt: skip
    rest = digits.lstrip("0")
    return frozenset({f"t<:{rest}", f"t>:{rest}"}) if digits.startswith("0") else frozenset(
        {f"t<:{rest}"}
    )  # fmt: skip


def _parsed(digits: str) -> tuple[int, str] | None:
    """The country and the rest of a number with its country code, if it can be one."""
    try:
        number = phonenumbers.parse(f"+{digits}")
    except phonenumbers.NumberParseException:
        return None
    if not phonenumbers.is_possible_number(number):
        return None
    rest = phonenumbers.national_significant_number(number)
    country = number.country_code
    return (country, rest) if country is not None else None
