"""E-mail addresses as people write them, also with the marks in words and in brackets.

Invariant: an address is taken whole, so "b@x.io" is never found in "a.b@x.io".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from palimpsest.language.surface_forms.fold import Plain

_AT = (
    r"\s{0,2}(?:@|[(\[{<]\s?(?:at|@|arroba|arobase)\s?[)\]}>])\s{0,2}"
    r"|\s(?:at|arroba|arobase|chiocciola|klammeraffe)\s"
)
_DOT = (
    r"\s?[(\[{<]\s?(?:dot|punto|point|punkt|ponto|\.)\s?[)\]}>]\s?"
    r"|\s(?:dot|punto|point|punkt|ponto)\s|\."
)
_MARK = rf"{_DOT}|\s(?:dash|hyphen|underscore|plus|minus|tiret|guion|trattino|hifen)\s|[+_%-]"
_LOCAL = rf"[a-z0-9][a-z0-9]*(?:(?:{_MARK})[a-z0-9]+)*"
_ADDRESS = re.compile(
    rf"(?<![a-z0-9._%+@-])(?P<local>{_LOCAL})(?P<at>{_AT})(?P<host>[a-z0-9-]+(?:(?:{_DOT})[a-z0-9-]+)+)"
    r"(?![a-z0-9@]|[.-][a-z0-9])"
)
_SAID = {"dash": "-", "hyphen": "-", "minus": "-", "tiret": "-", "guion": "-", "trattino": "-",
         "hifen": "-", "underscore": "_", "plus": "+"}  # fmt: skip


class Address(NamedTuple):
    """An address at ``start`` to ``end`` of a folded text."""

    start: int
    end: int
    key: str


def addresses(text: Plain) -> Iterator[Address]:
    """The addresses of a folded text."""
    for match in _ADDRESS.finditer(text.text):
        local, host = _dotted(match["local"]), _dotted(match["host"])
        yield Address(match.start(), match.end(), f"e:{local}@{host}")


def _dotted(written: str) -> str:
    found = re.sub(_DOT, ".", written)
    for word, mark in _SAID.items():
        found = re.sub(rf"\s{word}\s", mark, found)
    return re.sub(r"\s", "", found)
