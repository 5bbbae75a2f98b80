"""Reads the TOML files of a language: their names, their keys, and their lists of words.

Packs, lexicons and grammars are such files, each folder with keys of its own. Invariant: a file
with an unknown or missing key, or a list that holds no words, is refused with the key at fault.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping
from importlib import resources
from typing import Any

from palimpsest.errors import ConfigError, SpecError


def languages(folder: str) -> tuple[str, ...]:
    """The languages that a folder (a package) has a file for, sorted."""
    files = resources.files(folder).iterdir()
    return tuple(sorted(f.name.removesuffix(".toml") for f in files if f.name.endswith(".toml")))


def text_of(folder: str, language: str, kind: str) -> str:
    """The text of a language's file; raises SpecError with the known codes."""
    known = languages(folder)
    if language not in known:
        raise SpecError(f"language {language!r} has no {kind}; known: {', '.join(known)}")
    return (resources.files(folder) / f"{language}.toml").read_text(encoding="utf-8")


def parsed(text: str, where: str) -> dict[str, Any]:
    """The TOML of a file; raises ConfigError."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{where}: is not TOML ({error})") from None


def check_keys(data: Mapping[str, Any], known: Collection[str], where: str) -> None:
    """Refuse a file that lacks a key or has one that is none; raises ConfigError."""
    for key in sorted(set(known) ^ set(data)):
        fault = "is missing" if key in known else f"is no key; known: {', '.join(sorted(known))}"
        raise ConfigError(f"{where}: {key} {fault}")


def word(value: object, where: str) -> str:
    """One word or phrase; raises ConfigError."""
    if not isinstance(value, str) or not value.strip():
        raise ConfigError(f"{where}: {value!r} is not a word")
    return value


def words(value: object, where: str) -> tuple[str, ...]:
    """A list of words or phrases; raises ConfigError."""
    if not isinstance(value, list):
        raise ConfigError(f"{where}: {value!r} is not a list of words")
    return tuple(word(item, f"{where}[{i}]") for i, item in enumerate(value))
