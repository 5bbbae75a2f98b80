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
from collections.abc import Mapping
from dataclasses import dataclass, fields

from palimpsest.errors import ConfigError
from palimpsest.language import word_file


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
    return word_file.languages(__name__)


@functools.cache
def load(language: str) -> Grammar:
    """The grammar of a language code; raises SpecError with the known codes."""
    text = word_file.text_of(__name__, language, "grammar")
    return read(text, where=f"the grammar {language}")


def read(text: str, *, where: str) -> Grammar:
    """Read the text of a grammar; raises ConfigError with the key at fault."""
    data = word_file.parsed(text, where)
    word_file.check_keys(data, {field.name for field in fields(Grammar)}, where)
    language, domains = (
        word_file.word(data.pop("language"), f"{where}: language"),
        data.pop("domains"),
    )
    if not isinstance(domains, Mapping):
        raise ConfigError(f"{where}: domains is not a table")
    return Grammar(
        language=language,
        domains={k: word_file.words(v, f"{where}: domains.{k}") for k, v in domains.items()},
        **{key: word_file.words(value, f"{where}: {key}") for key, value in data.items()},
    )
