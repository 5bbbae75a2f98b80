"""The keys that a value is looked for by: how it may be written elsewhere.

Invariant: a value shares a key with itself, and a longer identifier that holds it shares none.
"""

from __future__ import annotations

import functools
import re

import anyascii

from palimpsest.language.surface_forms.addresses import addresses
from palimpsest.language.surface_forms.dates import dates
from palimpsest.language.surface_forms.fold import (
    UNSPACED,
    expands,
    foreign,
    is_unspaced,
    plain,
    squeezed,
)
from palimpsest.language.surface_forms.phones import of_value
from palimpsest.language.surface_forms.quantities import amounts, spelled_amounts
from palimpsest.language.surface_forms.skeleton import consonants, skeleton
from palimpsest.language.surface_forms.spelled import LANGUAGES, digits_of, spelled, whole
from palimpsest.language.surface_forms.text_keys import MOST_WORDS
from palimpsest.language.surface_forms.tokens import tokens

_LEAST_DIGITS = 3
_PHONE = 8
"""Digits from which on figures with a stroke between them are a telephone number."""
_ARTICLE = 4
"""Letters that may stand before a date in a value: "le 3 mai"."""
_EDGES = " \t\n\r.,;:!?\"'`()[]{}<>\u00ab\u00bb\u201c\u201d\u2018\u2019"
_ONLY_UNSPACED = re.compile(f"[{UNSPACED}\\s]+")
_NUMBER = re.compile(r"[+(]?[\d][\d\s().\-/\u2013,]*")


@functools.lru_cache(maxsize=4096)
def keys_of(value: str) -> frozenset[str]:
    """The keys of a value; empty where it has nothing to look for."""
    bare = value.strip(_EDGES.replace("(", "") if value.lstrip().startswith("(") else _EDGES)
    if not bare:
        return frozenset()
    found = _whole(bare)
    if found:
        return found
    return _of_words(bare) | _of_words(bare, expand=True)


def _whole(bare: str) -> frozenset[str]:
    """The keys of an address, a date, an amount or a number that is the whole value."""
    folded = plain(bare)
    size = len(folded.text)
    for address in addresses(folded):
        if (address.start, address.end) == (0, size):
            return frozenset({address.key})
    said = [
        one for one in dates(folded)
        if one.end == size and one.start <= _ARTICLE and not any(map(str.isdigit, bare[: one.start]))
    ]  # fmt: skip
    if said:
        return frozenset(key for one in said for key in one.sought)
    for amount in amounts(folded):
        if (amount.start, amount.end) == (0, size) and not _is_code(amount.unit):
            return frozenset(
                {amount.key, *(f"s:{form}" for form in spelled_amounts(amount))}
            ) | _as_digits(bare, amount.number)
    if _NUMBER.fullmatch(folded.text):
        return _number(folded.text)
    if "/" in bare or "\\" in bare:
        return frozenset({f"r:{bare.casefold()}"})
    return frozenset()


def _is_code(unit: str) -> bool:
    """A letter or two behind a number are a seat or a code, and no unit of an amount."""
    return len(unit) < 3 and unit.isalpha()


def _as_digits(bare: str, number: str) -> frozenset[str]:
    """An amount of five digits and more is looked for without its unit too."""
    return frozenset({f"d:{number}"}) if number.isdigit() and len(number) > 4 else frozenset()


def _number(text: str) -> frozenset[str]:
    digits = re.sub(r"\D", "", text)
    if re.fullmatch(r"\d+/\d+", text) and len(digits) < _PHONE:
        return frozenset({f"r:{text}"})
    if re.fullmatch(r"\d+[.,]\d{1,2}", text):
        return frozenset({f"d:{digits}"}) if len(digits) > 6 else frozenset()
    keys = {f"d:{digits}"} if len(digits) >= _LEAST_DIGITS else set()
    if "(0)" in text:
        keys.add("d:" + re.sub(r"\D", "", text.replace("(0)", "")))
    keys |= {f"s:{form}" for form in spelled(digits)}
    return frozenset(keys) | of_value(
        re.sub(r"\D", "", text.replace("(0)", "")), abroad=text.lstrip("( ").startswith("+")
    )


def _of_words(bare: str, *, expand: bool = False) -> frozenset[str]:
    if expand and not expands(bare):
        return frozenset()
    found = tokens(plain(bare, expand=expand))
    words = [token.text for token in found.items]
    keys: set[str] = set()
    if any(is_unspaced(c) for c in bare):
        keys |= _unspaced(bare)
    tight = "".join(words)
    if not tight or len(words) > MOST_WORDS or any(is_unspaced(c) for c in bare):
        return frozenset(keys)
    if tight.isalpha():
        capital = all(token.capital for token in found.items)
        keys |= _of_letters(tight, words, bare, capital=capital)
        for digits in digits_of(tuple(words)):
            keys |= _number(digits)
    elif not tight.isdigit():
        keys.add(f"i:{tight}")
        keys |= _said(words)
    return frozenset(keys)


def _of_letters(tight: str, words: list[str], bare: str, *, capital: bool) -> set[str]:
    sizes = range(1, len(words) + 1)
    keys = {f"w{n}:{tight}" for n in sizes}
    if not capital or len(words) > 1:
        # A password of small letters is one in any; a name that is a word too is not.
        keys |= {f"w{n}~:{tight}" for n in sizes}
    if len(tight) > 2:
        keys.add(f"w:{tight}")
    if capital and 2 <= len(words) <= 4:
        turned = words[-1] + "".join(words[:-1])
        keys |= {f"w{len(words)}:{turned}"}
    if foreign(bare):
        if sound := skeleton(tight):
            keys |= {f"x<:{sound}", f"x>:{sound}"}
    elif capital:
        if sound := skeleton(tight):
            keys.add(f"x>:{sound}")
        if sound := consonants(tight):
            keys.add(f"y>:{sound}")
    return keys


def _said(words: list[str]) -> set[str]:
    """An identifier whose numbers are said in words: "TKT one hundred"."""
    parts = [part for word in words for part in re.findall(r"[a-z]+|\d+", word)]
    numbers = [part for part in parts if part.isdigit()]
    if len(numbers) != 1 or len(parts) > 4:
        return set()
    before = "".join(parts[: parts.index(numbers[0])])
    after = "".join(parts[parts.index(numbers[0]) + 1 :])
    if not before:
        return set()
    forms = spelled(numbers[0])
    if len(numbers[0]) == _LEAST_DIGITS and numbers[0][0] != "0":
        # Behind its letters a number of three digits is no number of things.
        forms = forms.union(*(whole(numbers[0], language) for language in LANGUAGES))
    return {f"s:{before}{form}{after}" for form in forms}


def _unspaced(bare: str) -> set[str]:
    if not _ONLY_UNSPACED.fullmatch(bare):
        return {f"r:{bare.casefold()}"}
    written = re.sub(r"\s", "", bare)
    keys = {f"c:{written}"}
    if sound := skeleton(anyascii.anyascii(written).lower()):
        keys |= {f"x<:{sound}", f"x>:{sound}"}
    return keys


def anchors_of(value: str, keys: frozenset[str]) -> tuple[str, ...]:
    """Squeezed texts of which one stands in every text that shares a key.

    Dates and sounds have none: their texts are looked at whole.
    """
    found: set[str] = set()
    for key in keys:
        kind, _, rest = key.partition(":")
        if kind.startswith(("w", "d", "i", "s", "c")) and kind not in ("date", "day"):
            found.add(rest)
        elif kind == "e":
            found.add(max(re.findall(r"[a-z0-9]+", rest), key=len))
        elif kind == "q":
            found.add(rest.partition(":")[0].partition(".")[0])
        elif kind.startswith("t"):
            found.add(rest.rpartition(":")[2])
        elif kind == "r":
            found.add(max(re.findall(r"[a-z0-9]+", squeezed(rest)) or [rest], key=len))
    return tuple(found)
