"""The sentences of the generated chats, a file a language, and their reader."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

LANGUAGES = ("en", "fr", "de", "es", "it", "pt")


@dataclass(frozen=True, slots=True, kw_only=True)
class FactTemplate:
    """How one thing is said, corrected, taken back and repeated; ``{v}`` is its value."""

    attribute: str
    kind: str
    stated: tuple[str, ...] = ()
    corrected: tuple[str, ...] = ()
    forget: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()
    """Wordings of one fact that never changes, all of them said."""
    secret: bool = False
    """It is taken back before the block of its language ends."""
    hedged: bool = False
    """It is said with a reservation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """Everything that a chat in one language is made of."""

    code: str
    facts: tuple[FactTemplate, ...]
    months: tuple[str, ...]
    day: str
    amount: str
    foods: tuple[str, ...]
    openers: tuple[str, ...]
    closers: tuple[str, ...]
    echoes: tuple[str, ...]
    acks: tuple[str, ...]
    question: str
    chat: tuple[tuple[str, str], ...]
    asides: tuple[tuple[str, str, str], ...]
    """Kind of value, what is said about one that is no fact of the user, and the answer."""
    paste: str
    paste_line: str


@cache
def language(code: str) -> Language:
    """The templates of a language; ``code`` is one of LANGUAGES."""
    text = (resources.files(__name__) / f"{code}.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text)
    facts = tuple(FactTemplate(**_frozen(item)) for item in data.pop("fact"))
    return Language(code=code, facts=facts, **_frozen(data))


def _frozen(data: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _tuples(value) for key, value in data.items()}


def _tuples(value: Any) -> Any:
    return tuple(_tuples(item) for item in value) if isinstance(value, list) else value
