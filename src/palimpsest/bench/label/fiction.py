"""Fictional values of the same shape: a word for a word, digits for digits, a sum that holds.

A fiction is told by the place in which its original came up and by its shape, never by what
the original says, so nobody reads the original out of it. Invariant: pure functions; letters
stay letters of their case, digits stay digits, and every other character stays as it is.
"""

from __future__ import annotations

import hashlib
import re
import string
from collections.abc import Callable

import phonenumbers

from palimpsest.bench.label.checksums import with_iban, with_luhn
from palimpsest.bench.label.personal import Kind

_CONSONANTS, _VOWELS = "bdfgklmnprstvz", "aeiou"
_HOSTS = ("example.com", "example.org", "example.net")
"""Names that no real host will ever have (RFC 2606)."""
Word = Callable[[str], str]
"""A word of an original to its fiction, so that a name in an address stays that name."""


class Draws:
    """Numbers that look drawn and are told by a seed alone."""

    def __init__(self, seed: str) -> None:
        self._seed, self._count = seed, 0

    def below(self, limit: int) -> int:
        """The next one, from 0 to ``limit`` - 1."""
        self._count += 1
        told = hashlib.sha256(f"{self._seed}/{self._count}".encode()).digest()
        return int.from_bytes(told[:8], "big") % limit


def fiction(original: str, kind: Kind, seed: str, word: Word, host: Word) -> str:
    """A value of the shape of ``original``; another seed gives another."""
    draws = Draws(f"{kind}/{seed}")
    if kind == "name":
        return _word(original, draws)
    if kind == "secret":
        return re.sub(r"[^\W\d_]+", lambda m: _word(m.group(), draws), original)
    if kind == "card":
        return _placed(original, with_luhn(_digits(original, draws, keep=1)))
    if kind == "iban":
        tight = "".join(filter(str.isalnum, original)).upper()
        account = "".join(_same(c, draws) for c in tight[4:])
        return _placed(original, with_iban(tight[:2], account))
    if kind == "phone":
        return _placed(original, _digits(original, draws, keep=_kept(original)))
    if kind == "e-mail":
        local, _, domain = original.rpartition("@")
        return f"{_words(local, draws, word)}@{host(domain.lower())}"
    if kind == "url":
        return _url(original, draws, word, host)
    if kind == "address":
        return _words(original, draws, word)
    return "".join(_same(character, draws) for character in original)


def host_at(place: int) -> str:
    """The host that stands for the one that came up as number ``place``."""
    return _HOSTS[place] if place < len(_HOSTS) else f"site{place + 1}.example"


def as_written(fictional: str, written: str) -> str:
    """A fiction in the form in which its original is written somewhere else.

    Letters and digits take the places of those that are written; where their numbers differ
    (a telephone number without its country) the last ones count.
    """
    tight = "".join(filter(str.isalnum, fictional))
    places = [c for c in written if c.isalnum()]
    if not places or len(places) > len(tight):
        missing = len(places) - len(tight)
        if missing > 3 or not all(map(str.isdigit, tight)):
            return fictional
        tight = "".join(places[:missing]) + tight
    return _placed(written, tight[len(tight) - len(places) :])


def in_case(fictional: str, written: str) -> str:
    """A fictional word in the case of a written one."""
    if len(written) > 1 and written.isupper():
        return fictional.upper()
    if written.islower():
        return fictional.lower()
    return fictional[:1].upper() + fictional[1:] if written[:1].isupper() else fictional


def _word(original: str, draws: Draws) -> str:
    """Letters of two kinds by turns: a word that can be said and means nothing."""
    vowel = draws.below(4) == 0
    made = ""
    for character in original:
        if not character.isalpha():
            made, vowel = made + character, False
            continue
        pool = _VOWELS if vowel else _CONSONANTS
        letter = pool[draws.below(len(pool))]
        made, vowel = made + (letter.upper() if character.isupper() else letter), not vowel
    return made


def _words(text: str, draws: Draws, word: Word) -> str:
    """Words by ``word`` and digits drawn."""
    made = re.sub(r"[^\W\d_]+", lambda match: word(match.group()), text)
    return re.sub(r"\d", lambda match: _same(match.group(), draws), made)


def _url(original: str, draws: Draws, word: Word, host: Word) -> str:
    match = re.match(r"(?P<scheme>[a-z][a-z0-9+.-]*://)?(?:[^/@?#]*@)?(?P<host>[^/?#:]+)(?P<rest>.*)", original,
                     re.IGNORECASE | re.DOTALL)  # fmt: skip
    if match is None:
        return "".join(_same(character, draws) for character in original)
    name = match["host"].lower()
    www = "www." if name.startswith("www.") else ""
    pieces = re.split(r"(%[0-9A-Fa-f]{2})", match["rest"])
    rest = "".join(
        piece if at % 2 else "".join(_same(c, draws) for c in piece)
        for at, piece in enumerate(pieces)
    )
    return f"{match['scheme'] or ''}{www}{host(name.removeprefix('www.'))}{rest}"


def _kept(original: str) -> int:
    """Digits that tell the country of a telephone number, or that none is told."""
    digits = "".join(filter(str.isdigit, original))
    if original.lstrip("(").startswith("+") or digits.startswith("00"):
        lead = 0 if original.lstrip("(").startswith("+") else 2
        for size in (1, 2, 3):
            code = int(digits[lead : lead + size] or 0)
            if code in phonenumbers.COUNTRY_CODE_TO_REGION_CODE:
                return lead + size
    return 1 if digits.startswith("0") else 0


def _digits(original: str, draws: Draws, *, keep: int) -> str:
    digits = "".join(filter(str.isdigit, original))
    return digits[:keep] + "".join(_same(digit, draws) for digit in digits[keep:])


def _same(character: str, draws: Draws) -> str:
    """Another character of the same kind, never the same; 0 stays, since it leads numbers."""
    if character == "0":
        return character
    if character.isdigit() and character.isascii():
        return str(1 + (int(character) + draws.below(8)) % 9)
    if not character.isalpha():
        return character
    pool = string.ascii_lowercase if character.isascii() else _CONSONANTS
    place = pool.find(character.lower())
    letter = pool[(place + 1 + draws.below(len(pool) - 1)) % len(pool)]
    return letter.upper() if character.isupper() else letter


def _placed(written: str, tight: str) -> str:
    """Letters and digits put into the places of those of a written form, in its case."""
    left = iter(tight)
    return "".join(in_case_of(next(left), c) if c.isalnum() else c for c in written)


def in_case_of(character: str, like: str) -> str:
    """A character in the case of another."""
    return character.upper() if like.isupper() else character.lower()
