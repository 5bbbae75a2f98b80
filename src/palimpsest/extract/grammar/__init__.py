"""Grammars: how one language states, wishes, plans, corrects and asks to forget.

A grammar is a TOML file in this folder, named by its language code; every list holds phrases
that are found as whole words in folded text. ``first`` are the words of the speaker,
``subjects`` open a statement about something else, ``verbs`` follow a name or a thing,
``wishes``, ``plans``, ``standing`` and ``past`` tell the kind, ``orders`` open an instruction
that settles something, ``tasks`` one that is only for now, ``corrections`` announce that
something changed, ``forgets`` ask to forget and ``politeness`` may stand before them,
``questions`` open a question, ``reports`` tell what others say, ``pastes`` announce a text of
somebody else, ``empty`` are first-person words that say nothing, ``copulas`` end a subject,
``joins`` may begin another statement, ``nouns`` are things that are not a subject's own, and
``domains`` are words of one field of life. Invariant: an unknown or missing key is refused.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from importlib import resources

from palimpsest.errors import ConfigError, SpecError


# Compared by identity: patterns are kept by it.
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Grammar:
    """One language; see the module for what each list is for."""

    language: str
    first: tuple[str, ...]
    subjects: tuple[str, ...]
    verbs: tuple[str, ...]
    wishes: tuple[str, ...]
    plans: tuple[str, ...]
    standing: tuple[str, ...]
    past: tuple[str, ...]
    orders: tuple[str, ...]
    tasks: tuple[str, ...]
    corrections: tuple[str, ...]
    forgets: tuple[str, ...]
    politeness: tuple[str, ...]
    questions: tuple[str, ...]
    reports: tuple[str, ...]
    pastes: tuple[str, ...]
    empty: tuple[str, ...]
    copulas: tuple[str, ...]
    joins: tuple[str, ...]
    conditions: tuple[str, ...]
    domains: Mapping[str, tuple[str, ...]]


@functools.cache
def names() -> tuple[str, ...]:
    """The languages that have a grammar, sorted."""
    files = resources.files(__name__).iterdir()
    return tuple(sorted(f.name.removesuffix(".toml") for f in files if f.name.endswith(".toml")))


@functools.cache
def load(language: str) -> Grammar:
    """The grammar of a language code; raises SpecError with the known codes."""
    if language not in names():
        raise SpecError(f"language {language!r} has no grammar; known: {', '.join(names())}")
    text = (resources.files(__name__) / f"{language}.toml").read_text(encoding="utf-8")
    return read(text, where=f"the grammar {language}")


def read(text: str, *, where: str) -> Grammar:
    """Read the text of a grammar; raises ConfigError with the key at fault."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{where}: is not TOML ({error})") from None
    known = {field.name for field in fields(Grammar)}
    for key in sorted(known ^ set(data)):
        fault = "is missing" if key in known else f"is no key; known: {', '.join(sorted(known))}"
        raise ConfigError(f"{where}: {key} {fault}")
    language, domains = data.pop("language"), data.pop("domains")
    if not isinstance(language, str) or not isinstance(domains, Mapping):
        raise ConfigError(f"{where}: language is a code and domains is a table")
    return Grammar(
        language=language,
        domains={k: _texts(v, f"{where}: domains.{k}") for k, v in domains.items()},
        **{key: _texts(value, f"{where}: {key}") for key, value in data.items()},
    )


def _texts(value: object, where: str) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise ConfigError(f"{where}: {value!r} is not a list of words")
    for i, item in enumerate(value):
        if not isinstance(item, str) or not item.strip():
            raise ConfigError(f"{where}[{i}]: {item!r} is not a word")
    return tuple(value)
