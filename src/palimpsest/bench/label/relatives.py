"""Who is named behind "my sister": also where the name is a word or a month (Will, May, Paz).

Invariant: pure functions; the words for relatives and friends are those of the grammars.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

import regex

from palimpsest.extract import grammar as grammars

_LINK = r"(?:,\s?|\s(?:and|or|&|und|oder|et|ou|y|e|o)\s)"
_PLURALS = r"(?:s|es|e|en|n|r|i)?"
_CALLED = (
    r"is\scalled|is\snamed|named|called|heißt|heißen|namens|s['\u2019]appelle|se\sllama|"
    r"si\schiama|se\schama|chama-se"
)
_NAME = r"(?P<name>\p{Lu}[\p{Ll}\p{M}]+)"


def relatives(text: str) -> Iterator[tuple[int, int]]:
    """The names behind a relative or friend who is somebody's, one after the other."""
    for match in _pattern().finditer(text):
        yield from match.spans("name")


def called(text: str) -> Iterator[tuple[int, int]]:
    """The word behind "my sister is called", written small too."""
    for match in _small_pattern().finditer(text):
        yield match.span("name")


@functools.cache
def _small_pattern() -> regex.Pattern[str]:
    return regex.compile(
        rf"\b(?i:{_owned()})\s(?:{_CALLED})\s(?P<name>\p{{L}}[\p{{L}}\p{{M}}'-]{{2,}})"
    )


@functools.cache
def _pattern() -> regex.Pattern[str]:
    return regex.compile(
        rf"\b(?i:{_owned()})(?:,?\s(?:is|{_CALLED}))?,?\s{_NAME}(?:{_LINK}{_NAME})*"
    )


@functools.cache
def _owned() -> str:
    """Somebody's relative or friend, as a pattern."""
    owners = {"his", "her", "their", "your", "sein", "seine", "ihr", "ihre", "sa", "ses", "son",
              "su", "sus", "sua", "suo", "seu", "minha", "minhas"}  # fmt: skip
    people: set[str] = {"boss", "colleague", "neighbour", "neighbor"}
    for code in grammars.names():
        held = grammars.load(code)
        owners |= set(held.possessives)
        people |= {*held.domains.get("family", ()), *held.domains.get("friends", ())}
    mine = "|".join(regex.escape(word) for word in sorted(owners, key=len, reverse=True))
    kin = "|".join(regex.escape(word) for word in sorted(people, key=len, reverse=True))
    return rf"(?:{mine})\s(?:\p{{Ll}}+\s)?(?:{kin}){_PLURALS}"
