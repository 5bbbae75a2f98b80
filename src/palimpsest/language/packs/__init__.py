"""Language packs: what one language brings to telling decisions and corrections apart.

A pack is a TOML file in this folder, named by its language code. Lists of words and phrases:
``cues`` mark a decision, ``naming`` gives a thing its name, ``requests`` make a question an
order, ``hedges`` make it mere talk, ``negations`` turn it round, ``choices`` stand before
the value that is chosen, ``pronouns`` point to the sentence before, ``clause_ends`` begin
the next clause, ``joins`` may begin one or join two things, ``generic`` and ``stop_words``
say nothing about a topic, ``dates`` and ``units`` make values. A replacement is not certain
beside ``doubts`` (a refusal, a report, a look back, "also"), nor where ``others`` make it
somebody else's; ``own`` words speak for the conversation. Its language code chooses its stems.

Each ``[[replacement]]`` holds ``phrases`` or ``markers``. In a phrase ``{old}`` is what goes
and ``{new}`` what comes, ``a/b`` is either word, ``[a]`` may be absent, ``...`` is up to four
words, ``*`` any one word or ending. A marker announces that its whole sentence is what comes.
Invariant: a pack with an unknown or missing key, or a phrase without a slot, is refused.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from importlib import resources
from typing import Any

from palimpsest.errors import ConfigError, SpecError
from palimpsest.language import stems


# Compared by identity: what is made from a pack is kept by it, and its lists are long.
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pack:
    """One language; see the module for what each list is for."""

    language: str
    cues: tuple[str, ...]
    naming: tuple[str, ...]
    requests: tuple[str, ...]
    hedges: tuple[str, ...]
    negations: tuple[str, ...]
    choices: tuple[str, ...]
    doubts: tuple[str, ...]
    others: tuple[str, ...]
    own: tuple[str, ...]
    pronouns: tuple[str, ...]
    clause_ends: tuple[str, ...]
    joins: tuple[str, ...]
    generic: tuple[str, ...]
    stop_words: tuple[str, ...]
    dates: tuple[str, ...]
    units: tuple[str, ...]
    phrases: tuple[str, ...]
    markers: tuple[str, ...]


def names() -> tuple[str, ...]:
    """The languages that have a pack, sorted."""
    files = resources.files(__name__).iterdir()
    return tuple(sorted(f.name.removesuffix(".toml") for f in files if f.name.endswith(".toml")))


@functools.cache
def load(language: str) -> Pack:
    """The pack of a language code; raises SpecError with the known codes."""
    if language not in names():
        raise SpecError(f"language {language!r} has no pack; known: {', '.join(names())}")
    text = (resources.files(__name__) / f"{language}.toml").read_text(encoding="utf-8")
    return read(text, where=f"the language pack {language}")


def chosen(languages: str) -> tuple[Pack, ...]:
    """The packs of a text such as ``en fr``; all of them for a blank one."""
    return tuple(load(name) for name in (languages.replace(",", " ").split() or names()))


def read(text: str, *, where: str) -> Pack:
    """Read the text of a pack; raises ConfigError with the key at fault."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{where}: is not TOML ({error})") from None
    phrases, markers = _replacements(data.pop("replacement", []), where)
    known = {field.name for field in fields(Pack)} - {"phrases", "markers"}
    for key in sorted(known ^ set(data)):
        fault = "is missing" if key in known else f"is no key; known: {', '.join(sorted(known))}"
        raise ConfigError(f"{where}: {key} {fault}")
    found: dict[str, Any] = {
        key: _text(value, f"{where}: {key}")
        if key == "language"
        else _texts(value, f"{where}: {key}")
        for key, value in data.items()
    }
    try:
        stems.stems(found["language"])
    except SpecError as error:
        raise ConfigError(f"{where}: {error}") from None
    return Pack(**found, phrases=phrases, markers=markers)


def _replacements(tables: Any, where: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    phrases: list[str] = []
    markers: list[str] = []
    if not isinstance(tables, list):
        raise ConfigError(f"{where}: replacement is no list of tables; write [[replacement]]")
    for place, table in enumerate(tables):
        here = f"{where}: replacement[{place}]"
        if not isinstance(table, Mapping) or len(table) != 1 or not set(table) & _KINDS:
            raise ConfigError(f"{here}: holds either phrases or markers, and nothing else")
        if "markers" in table:
            markers += _texts(table["markers"], f"{here}.markers")
        else:
            phrases += _texts(table["phrases"], f"{here}.phrases")
    for phrase in phrases:
        if not {"{old}", "{new}"} & set(phrase.split()):
            raise ConfigError(f"{where}: the phrase {phrase!r} has neither {{old}} nor {{new}}")
    return tuple(phrases), tuple(markers)


_KINDS = {"phrases", "markers"}


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ConfigError(f"{where}: {value!r} is not a word")
    return value


def _texts(value: Any, where: str) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise ConfigError(f"{where}: {value!r} is not a list of words")
    return tuple(_text(item, f"{where}[{i}]") for i, item in enumerate(value))
