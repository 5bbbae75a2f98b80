"""Knows again statements that name no value, by the keyed hashes of their content words.

A text holds a statement where it holds all its keys; whether a clause of it says it is decided
as at the forget, by the words themselves. Invariant: nothing is computed where no such
statement is forgotten, and no word of one is known that the text does not hold.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from palimpsest.language.retold import By
from palimpsest.language.telling import Told, is_known_later, words_in
from palimpsest.types import ForgottenMatch, KnownBy, Role

_KIND = "stem"


def by_role(role: Role) -> By:
    """Whose words a text of a role is, where it was said before or is said by others."""
    return "user" if role == "user" else "others"


def known_by(statements: Iterable[Told]) -> Iterator[KnownBy]:
    """What statements are known again by; those of everyday words alone are not."""
    for one in statements:
        if is_known_later(one):
            keys = frozenset(_key(one.language, word) for word in one.words)
            yield KnownBy(keys=keys, words=len(keys), language=one.language, mine=one.mine)


def keys_in(text: str, languages: Collection[str]) -> frozenset[str]:
    """The keys of the words of a text."""
    return frozenset(_key(code, word) for code in languages for word in words_in(text, code))


def whole(matches: Iterable[ForgottenMatch]) -> Iterator[tuple[ForgottenMatch, Told]]:
    """The statements all of whose keys were found, each with its words."""
    parts: dict[tuple[int, int, int], list[ForgottenMatch]] = {}
    for match in matches:
        if match.language is not None:
            parts.setdefault((match.home, match.deletion, match.part), []).append(match)
    for found in parts.values():
        words = frozenset(match.key.split(":", 2)[2] for match in found)
        first = found[0]
        if first.language is not None and len(words) == first.needs:
            yield first, Told(language=first.language, words=words, mine=first.mine)


def _key(language: str, word: str) -> str:
    return f"{_KIND}:{language}:{word}"
