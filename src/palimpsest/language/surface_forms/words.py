"""Words that decide what a name is part of: dishes, titles, particles, and names that are words.

They are read from ``words.toml``. Invariant: all words are folded, as the texts are.
"""

from __future__ import annotations

import functools
import tomllib
from dataclasses import dataclass
from importlib import resources

from palimpsest.language.surface_forms.fold import plain


@dataclass(frozen=True, slots=True, kw_only=True)
class NameWords:
    """The lists of ``words.toml``."""

    dishes: frozenset[str]
    """A name before one of them is the name of a dish or a thing ("Vienna sausage")."""
    before_dishes: frozenset[str]
    """One of them before a name makes a dish of it ("chicken Kiev")."""
    titles: frozenset[str]
    particles: frozenset[str]
    """They go on with a name where another name follows ("Ludwig van Beethoven")."""
    parts: frozenset[str]
    """A name goes on to the left with one of them ("New York", "San Marino")."""
    calendar: frozenset[str]
    common: frozenset[str]
    """Words of a language that are names too ("mark", "nice"): in small letters, words."""
    unspaced_dishes: tuple[str, ...]
    unspaced_before: dict[str, str]
    """What may not stand before a name in a script without blanks: another name begins there."""


@functools.cache
def name_words() -> NameWords:
    """The lists, read once."""
    text = (resources.files(__package__) / "words.toml").read_text(encoding="utf-8")
    found = tomllib.loads(text)

    def folded(key: str) -> frozenset[str]:
        return frozenset(plain(word).text for word in found[key].split())

    return NameWords(
        dishes=folded("dishes"), before_dishes=folded("before_dishes"), titles=folded("titles"),
        particles=folded("particles"), parts=folded("parts"), calendar=folded("calendar"),
        common=folded("common"), unspaced_dishes=tuple(found["unspaced_dishes"].split()),
        unspaced_before=dict(found["unspaced_before"]),
    )  # fmt: skip
