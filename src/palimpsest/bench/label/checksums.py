"""Card numbers and IBANs: whether their checksum holds, and the digit that makes it hold.

Invariant: what ``with_luhn`` and ``with_iban`` return passes ``is_card`` and ``is_iban``.
"""

from __future__ import annotations

import string

_CARD = range(13, 20)
_IBAN = range(15, 35)


def is_card(digits: str) -> bool:
    """True for 13 to 19 digits whose Luhn sum holds."""
    return digits.isdigit() and len(digits) in _CARD and _luhn(digits) == 0


def with_luhn(digits: str) -> str:
    """The digits with the last one put right."""
    body = digits[:-1]
    return body + str((10 - _luhn(body + "0")) % 10)


def _luhn(digits: str) -> int:
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10


def is_iban(written: str) -> bool:
    """True for an IBAN, without blanks, whose remainder is 1."""
    tight = written.upper()
    shaped = len(tight) in _IBAN and tight[:2].isalpha() and tight[2:4].isdigit()
    return shaped and tight.isalnum() and tight.isascii() and _remainder(tight[4:] + tight[:4]) == 1


def with_iban(country: str, account: str) -> str:
    """The IBAN of an account with its two check digits."""
    check = 98 - _remainder(f"{account}{country}00")
    return f"{country}{check:02}{account}"


def _remainder(tight: str) -> int:
    values = string.digits + string.ascii_uppercase
    return int("".join(str(values.index(character)) for character in tight)) % 97
