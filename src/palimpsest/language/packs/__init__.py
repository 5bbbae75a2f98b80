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
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from palimpsest.errors import ConfigError, SpecError
from palimpsest.language import stems, word_file


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
    return word_file.languages(__name__)


@functools.cache
def load(language: str) -> Pack:
    """The pack of a language code; raises SpecError with the known codes."""
    text = word_file.text_of(__name__, language, "pack")
    return read(text, where=f"the language pack {language}")


def chosen(languages: str) -> tuple[Pack, ...]:
    """The packs of a text such as ``en fr``; all of them for a blank one."""
    return tuple(load(name) for name in (languages.replace(",", " ").split() or names()))


def read(text: str, *, where: str) -> Pack:
    """Read the text of a pack; raises ConfigError with the key at fault."""
    data = word_file.parsed(text, where)
    phrases, markers = _replacements(data.pop("replacement", []), where)
    known = {field.name for field in fields(Pack)} - {"phrases", "markers"}
    word_file.check_keys(data, known, where)
    found: dict[str, Any] = {
        key: word_file.word(value, f"{where}: {key}")
        if key == "language"
        else word_file.words(value, f"{where}: {key}")
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
            markers += word_file.words(table["markers"], f"{here}.markers")
        else:
            phrases += word_file.words(table["phrases"], f"{here}.phrases")
    for phrase in phrases:
        if not {"{old}", "{new}"} & set(phrase.split()):
            raise ConfigError(f"{where}: the phrase {phrase!r} has neither {{old}} nor {{new}}")
    return tuple(phrases), tuple(markers)


_KINDS = {"phrases", "markers"}
