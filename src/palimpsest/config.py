"""Settings: TOML to one frozen Config, its canonical form and its tagged hash.

Precedence, strongest first: the Spec of a strategy, a settings file, the suite, the
defaults here. Unknown keys are refused with the known ones.
"""

from __future__ import annotations

import dataclasses
import hashlib
import string
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from palimpsest.errors import ConfigError
from palimpsest.settings import (
    CompactionSettings,
    ContextSettings,
    DedupSettings,
    FactsSettings,
    ForgetSettings,
    NotesSettings,
    QuerySettings,
    RecallSettings,
    ReflectionSettings,
    SeatsSettings,
    StorySettings,
    SweepSettings,
    TokenizerSettings,
)
from palimpsest.types import Budget, canonical


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Every setting of a run."""

    context: ContextSettings = field(default_factory=ContextSettings)
    facts: FactsSettings = field(default_factory=FactsSettings)
    notes: NotesSettings = field(default_factory=NotesSettings)
    compaction: CompactionSettings = field(default_factory=CompactionSettings)
    reflection: ReflectionSettings = field(default_factory=ReflectionSettings)
    dedup: DedupSettings = field(default_factory=DedupSettings)
    story: StorySettings = field(default_factory=StorySettings)
    forget: ForgetSettings = field(default_factory=ForgetSettings)
    seats: SeatsSettings = field(default_factory=SeatsSettings)
    recall: RecallSettings = field(default_factory=RecallSettings)
    query: QuerySettings = field(default_factory=QuerySettings)
    sweep: SweepSettings = field(default_factory=SweepSettings)
    tokenizer: TokenizerSettings = field(default_factory=TokenizerSettings)
    budget: Budget | None = None
    """Overrides the budget of a suite; an application passes its own."""

    @property
    def fingerprint(self) -> str:
        """A tagged hash of the canonical form: ``sha256:`` and 64 hex digits."""
        text = canonical(dataclasses.asdict(self))
        return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


_PUBLISHED_BUDGET = {"context_limit": "window", "max_new_tokens": "answer", "margin": "margin"}
_LINE_FIELDS = {
    "anchor_line": {"turn", "text"},
    "summary_line": {"text"},
    "memory_line": {"id", "source", "text"},
    "note_line": {"turn", "role", "text"},
    "replaced_marker": {"text"},
}


def load(path: Path, base: Config | None = None) -> Config:
    """Read a TOML settings file over ``base``; raises ConfigError with file and key."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror})") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: is not TOML ({error})") from None
    return merge(base or Config(), data, where=str(path))


def merge(base: Config, data: Mapping[str, Any], *, where: str) -> Config:
    """Lay tables over a Config; ``where`` opens every error text."""
    sections = {f.name: getattr(base, f.name) for f in dataclasses.fields(Config)}
    _refuse_unknown(data, set(sections), where, "tables")
    for name, table in data.items():
        if not isinstance(table, Mapping):
            raise ConfigError(f"{where}: {name} is not a table; write [{name}]")
        if name == "budget":
            sections[name] = budget(table, f"{where}: budget")
        else:
            sections[name] = _section(sections[name], table, f"{where}: {name}")
    return Config(**sections)


def budget(table: Mapping[str, Any], where: str) -> Budget:
    """Read a budget in either spelling (``window`` or the published ``context_limit``)."""
    named = {_PUBLISHED_BUDGET.get(key, key): value for key, value in table.items()}
    _refuse_unknown(named, {"window", "answer", "margin"}, where, "keys")
    for key in ("window", "answer"):
        if key not in named:
            raise ConfigError(f"{where}.{key}: is missing")
    return Budget(**named)


def _section(base: Any, table: Mapping[str, Any], where: str) -> Any:
    hints = get_type_hints(type(base))
    _refuse_unknown(table, set(hints), where, "keys")
    changes = {key: _coerce(value, hints[key], f"{where}.{key}") for key, value in table.items()}
    for key, value in changes.items():
        _check_text(key, value, f"{where}.{key}")
    return dataclasses.replace(base, **changes)


def _coerce(value: Any, hint: Any, where: str) -> Any:
    if get_origin(hint) is tuple:
        if not isinstance(value, (list, tuple)):
            raise ConfigError(f"{where}: {value!r} is not a list")
        return tuple(_coerce(v, get_args(hint)[0], f"{where}[{i}]") for i, v in enumerate(value))
    if get_origin(hint) is Literal:
        if value not in get_args(hint):
            known = ", ".join(repr(choice) for choice in get_args(hint))
            raise ConfigError(f"{where}: {value!r} is not one of {known}")
        return value
    wanted = next((kind for kind in _WORDS if kind is hint or kind in get_args(hint)), str)
    given = float(value) if wanted is float and type(value) is int else value
    if type(given) is not wanted:
        raise ConfigError(f"{where}: {value!r} is not {_WORDS[wanted]}")
    if isinstance(given, (int, float)) and not 0 <= given < float("inf"):
        raise ConfigError(f"{where}: {value} is {'below 0' if given < 0 else 'no finite number'}")
    return given


_WORDS: dict[type, str] = {
    str: "a text", bool: "true or false", int: "a whole number", float: "a number",
}  # fmt: skip


_SHORTEST = 0.01
"""Seconds between two looks of a thread; nearer to 0 it would take a whole core."""


def _check_text(key: str, value: Any, where: str) -> None:
    if key == "step" and value < 1:
        raise ConfigError(f"{where}: {value} is below 1; 1 moves the cut turn by turn")
    if key == "share" and value > 1:
        raise ConfigError(f"{where}: {value} is above 1; 0.25 holds back a quarter")
    if key == "failures" and value < 1:
        raise ConfigError(f"{where}: {value} is below 1; 1 lets no turn wait after one failure")
    if key in ("loop", "retry") and value < _SHORTEST:
        raise ConfigError(f"{where}: {value:g} is below {_SHORTEST:g}; it would never rest")
    if key in _LINE_FIELDS:
        _check_line(value, _LINE_FIELDS[key], where)
    if key == "block" and not (value.isascii() and value.isalnum()):
        raise ConfigError(f"{where}: {value!r} is not a tag name of letters and digits")
    if key == "cues" and any(not cue.strip() for cue in value):
        raise ConfigError(f"{where}: a cue is blank and would match everything")


def _check_line(value: str, fields: set[str], where: str) -> None:
    try:
        pieces = list(string.Formatter().parse(value))
        used = {name for _, name, _, _ in pieces if name is not None}
        if any(spec or conversion for _, _, spec, conversion in pieces):
            raise ValueError("a field is written {name}, without a conversion or a width")
        value.format(**dict.fromkeys(fields, ""))
    except (ValueError, KeyError, IndexError, AttributeError) as error:
        raise ConfigError(f"{where}: {value!r} is not a line format ({error})") from None
    if "text" not in used or not used <= fields:
        raise ConfigError(
            f"{where}: {value!r} must use {{text}} and may use {', '.join(sorted(fields))}"
        )
    if "\n" in value or "\r" in value:
        raise ConfigError(f"{where}: a line format holds no line break")


def _refuse_unknown(given: Mapping[str, Any], known: set[str], where: str, what: str) -> None:
    unknown = sorted(set(given) - known)
    if unknown:
        raise ConfigError(
            f"{where}: unknown {', '.join(map(repr, unknown))}; known {what}: "
            f"{', '.join(sorted(known))}"
        )
