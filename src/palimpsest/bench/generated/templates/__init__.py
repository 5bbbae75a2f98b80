"""The sentences of the generated chats, a file a language and family, and their reader.

A family is one author's set: once an extractor was changed after a look at what it missed in
one, only a family that nobody looked at can still say how well it reads.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any

LANGUAGES = ("en", "fr", "de", "es", "it", "pt")


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """Where the sentences of a family lie, and what a chat of them is asked and allowed."""

    folder: str
    amid: tuple[tuple[int, int], ...]
    """The shares of a block after which it has a checkpoint, beside the one at its end."""
    window: int
    quota: int
    """Tokens for facts."""


FAMILIES: Mapping[str, Family] = MappingProxyType(
    {
        "first": Family(folder="", amid=((2, 3),), window=960, quota=420),
        "second": Family(folder="second", amid=((1, 3), (2, 3)), window=1280, quota=640),
    }
)


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
    pools: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Values of a kind in this language, in place of those that every language draws from."""


@cache
def language(code: str, family: str = "first") -> Language:
    """The templates of a language; ``code`` is one of LANGUAGES, ``family`` of FAMILIES."""
    folder = resources.files(__name__) / FAMILIES[family].folder
    data = tomllib.loads((folder / f"{code}.toml").read_text(encoding="utf-8"))
    facts = tuple(FactTemplate(**_frozen(item)) for item in data.pop("fact"))
    pools = _frozen(data.pop("pools", {}))
    return Language(code=code, facts=facts, pools=pools, **_frozen(data))


def _frozen(data: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _tuples(value) for key, value in data.items()}


def _tuples(value: Any) -> Any:
    return tuple(_tuples(item) for item in value) if isinstance(value, list) else value
