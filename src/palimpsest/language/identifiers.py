"""What stands for somebody or something by itself: card numbers, addresses, paths, secrets.

A statement may hold one beside other carriers ("my PIN for the Santander card is 4417"), and
an echo of it alone gives the fact away. Names, dates and small numbers are said too often
to be anybody's alone.

Invariant: each identifier is a text that the statement holds, or its digits without the
blanks and marks between them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from palimpsest.language.carriers import Carrier, carriers
from palimpsest.language.secret_forms import secrets
from palimpsest.language.values import LONGEST, is_year

_LEAST_DIGITS = 4
_GROUPED = re.compile(r"\d+(?:[ .,\u00a0\u202f-]\d+)*")
_FRACTION = re.compile(r"\d{1,3}[.,](?:\d{1,2}|\d{4,})|\d{1,3}-\d{1,3}|(?:19|20)\d\d-(?:19|20)\d\d")
_JOINED = re.compile(r"[(+\d][\d\s().,\u00a0\u202f-]*\d")
_MIX = re.compile(r"(?=[^\d]*\d)(?=[^A-Za-z]*[A-Za-z])[\w-]{2,}")
_QUANTITY = re.compile(
    r"\d+(?:st|nd|rd|th|s|x|h|k|m|am|pm|min|ms|sec|cm|mm|km|kg|mg|g|l|ml|px|pt|gb|mb|kb|tb|hz|"
    r"khz|mhz|ghz|kw|kwh|w|v|d|p|fps|bit|bits)|q[1-4]|h[12]|[234]d|[2345]g|[248]k|mp[34]|utf-?8|2fa|"
    r"covid-?19|a[3-5]|x86|x64|b2[bc]",
    re.IGNORECASE,
)
_MARKED = re.compile(r"[@/\\]|\d\.\d|^[\w-]+(?:\.[\w-]+)+$")


@lru_cache(maxsize=8192)
def identifiers(statement: str) -> tuple[str, ...]:
    """The identifiers of a statement, each once; none of a pasted document."""
    if len(statement) > LONGEST:
        return ()
    found = [statement[secret.start : secret.end] for secret in secrets(statement)]
    for carrier in carriers(statement):
        found += _of(statement[carrier.start : carrier.end], carrier)
    return tuple(dict.fromkeys(found))


def _of(text: str, carrier: Carrier) -> Iterator[str]:
    if carrier.kind == "number":
        yield from _numbers(text)
    elif carrier.kind == "identifier":
        joined = "".join(filter(str.isdigit, text))
        if _JOINED.fullmatch(text) and "." not in text:
            yield from (text, joined)
        elif _MARKED.search(text) or (_MIX.fullmatch(text) and not _QUANTITY.fullmatch(text)):
            yield text


def _numbers(text: str) -> Iterator[str]:
    """Long numbers, as written and in digits alone; with their unit where that tells more."""
    for match in _GROUPED.finditer(text):
        number = match.group()
        joined = "".join(filter(str.isdigit, number))
        if len(joined) < _LEAST_DIGITS or _FRACTION.fullmatch(number):
            continue
        if is_year(number):
            if text != number:
                yield text
            continue
        yield number
        if not re.search(r"[.,]\d{1,2}$", number):
            yield joined
