"""Lexicons: the words of one language by which facts are told apart.

A lexicon is a TOML file in this folder, named by its language code. ``negations`` turn a
statement round, ``relative_days`` name a day by its distance from today, ``units`` follow a
number, ``numbers`` are numbers in letters, ``hedges`` are reservations of the speaker, ``likes``
and ``dislikes`` are two sides of one liking, ``endings`` are the words that say when something
ends and ``spans`` how long it lasts. ``dropped`` are further words without content, ``kept``
words that the list of the library drops and that carry content.
Invariant: a lexicon with an unknown or missing key is refused.
"""

from __future__ import annotations

import functools
import tomllib
from dataclasses import dataclass, fields
from importlib import resources

from palimpsest.errors import ConfigError, SpecError


# Compared by identity: what is made from a lexicon is kept by it, and its lists are long.
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Lexicon:
    """One language; see the module for what each list is for."""

    language: str
    negations: tuple[str, ...]
    relative_days: tuple[str, ...]
    units: tuple[str, ...]
    numbers: tuple[str, ...]
    hedges: tuple[str, ...]
    likes: tuple[str, ...]
    dislikes: tuple[str, ...]
    dropped: tuple[str, ...]
    kept: tuple[str, ...]


@functools.cache
def names() -> tuple[str, ...]:
    """The languages that have a lexicon, sorted."""
    files = resources.files(__name__).iterdir()
    return tuple(sorted(f.name.removesuffix(".toml") for f in files if f.name.endswith(".toml")))


@functools.cache
def load(language: str) -> Lexicon:
    """The lexicon of a language code; raises SpecError with the known codes."""
    if language not in names():
        raise SpecError(f"language {language!r} has no lexicon; known: {', '.join(names())}")
    text = (resources.files(__name__) / f"{language}.toml").read_text(encoding="utf-8")
    return read(text, where=f"the lexicon {language}")


@functools.cache
def every() -> tuple[Lexicon, ...]:
    """All lexicons, by language code."""
    return tuple(map(load, names()))


def read(text: str, *, where: str) -> Lexicon:
    """Read the text of a lexicon; raises ConfigError with the key at fault."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{where}: is not TOML ({error})") from None
    known = {field.name for field in fields(Lexicon)}
    for key in sorted(known ^ set(data)):
        fault = "is missing" if key in known else f"is no key; known: {', '.join(sorted(known))}"
        raise ConfigError(f"{where}: {key} {fault}")
    language = data.pop("language")
    if not isinstance(language, str) or not language.strip():
        raise ConfigError(f"{where}: language {language!r} is not a language code")
    return Lexicon(language=language, **{k: _texts(v, f"{where}: {k}") for k, v in data.items()})


def _texts(value: object, where: str) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise ConfigError(f"{where}: {value!r} is not a list of words")
    for i, item in enumerate(value):
        if not isinstance(item, str) or not item.strip():
            raise ConfigError(f"{where}[{i}]: {item!r} is not a word")
    return tuple(value)
