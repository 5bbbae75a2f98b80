"""Specs and names: parses ``name(key=value, ...)`` and resolves it by entry point.

The printed form of a Spec is its identity: keys sorted, defaults omitted. Only the
entry point that is named is loaded, so a broken plug-in breaks nobody else.
"""

from __future__ import annotations

import ast
import dataclasses
import difflib
import functools
import inspect
import math
import re
from collections.abc import Mapping
from importlib import metadata
from typing import Any, Literal

from palimpsest.errors import SpecError
from palimpsest.types import Spec

Group = Literal[
    "strategies", "tokenizers", "note_extractors", "extractors", "filters", "chat_models",
    "embedders",
]  # fmt: skip
_SINGULAR: dict[Group, str] = {
    "strategies": "strategy",
    "tokenizers": "tokenizer",
    "note_extractors": "note extractor",
    "extractors": "extractor",
    "filters": "filter",
    "chat_models": "chat model",
    "embedders": "embedder",
}
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")
_PARAM = re.compile(r"[a-z_][a-z0-9_]*")


def parse(text: str) -> Spec:
    """Read a Spec text such as ``managed(quota=120)``; raises SpecError with the place."""
    found = _NAME.match(text.strip())
    if not found:
        raise SpecError(f"{text!r} does not begin with a name; write name or name(key=value, ...)")
    rest = text.strip()[found.end() :].strip()
    if not rest:
        return Spec(name=found.group())
    if not (rest.startswith("(") and rest.endswith(")")):
        raise SpecError(f"{text!r}: {rest!r} is not a parameter list; write (key=value, ...)")
    return Spec(name=found.group(), params=_params(rest, text))


def _params(rest: str, text: str) -> tuple[tuple[str, int | float | bool | str], ...]:
    try:
        call = ast.parse(f"f{rest}", mode="eval").body
    except (SyntaxError, ValueError) as error:
        raise SpecError(f"{text!r}: {getattr(error, 'msg', error)}") from None
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)) or call.args:
        raise SpecError(f"{text!r}: parameters must be written key=value")
    params: dict[str, int | float | bool | str] = {}
    for keyword in call.keywords:
        if keyword.arg is None or not _PARAM.fullmatch(keyword.arg):
            raise SpecError(f"{text!r}: {keyword.arg!r} is not a parameter name")
        if keyword.arg in params:
            raise SpecError(f"{text!r}: {keyword.arg} is given twice")
        params[keyword.arg] = _value(keyword.value, keyword.arg, text)
    return tuple(sorted(params.items()))


def _value(node: ast.expr, name: str, text: str) -> int | float | bool | str:
    # true and false are how TOML and JSON write them, so both spellings are read.
    if isinstance(node, ast.Name) and node.id in ("true", "false"):
        return node.id == "true"
    try:
        value = ast.literal_eval(node)
    except (ValueError, SyntaxError):
        value = None
    if isinstance(value, (bool, int, str)) or (isinstance(value, float) and math.isfinite(value)):
        return value
    raise SpecError(
        f"{text!r}: {name} is not a whole number, a finite number, true, false or a quoted text"
    )


def render(spec: Spec) -> str:
    """The printed form; ``parse(render(spec)) == spec``."""
    if not spec.params:
        return spec.name
    shown = ", ".join(f"{key}={_shown(value)}" for key, value in sorted(spec.params))
    return f"{spec.name}({shown})"


def _shown(value: float | bool | str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value)


@functools.cache
def _entries(group: Group) -> Mapping[str, Mapping[str, metadata.EntryPoint]]:
    """The entry points of a group by name, then by what they load: more than one is a clash.

    Every installed package is looked through once.
    """
    found: dict[str, dict[str, metadata.EntryPoint]] = {}
    for entry in metadata.entry_points(group=f"palimpsest.{group}"):
        found.setdefault(entry.name, {}).setdefault(entry.value, entry)
    return found


def names(group: Group) -> tuple[str, ...]:
    """The registered names of a group, sorted."""
    return tuple(sorted(_entries(group)))


def load(group: Group, spec: Spec) -> Any:
    """Load what a Spec names and give it the parameters; raises SpecError."""
    factory = _named(group, spec)
    try:
        return factory(**dict(spec.params))
    except TypeError as error:
        raise SpecError(
            f"{render(spec)!r}: {_without_class(error)}; {_known_params(factory)}"
        ) from None


def bound(group: Group, spec: Spec) -> Any:
    """Load the function that a Spec names, its parameters bound by keyword; raises SpecError."""
    function = _named(group, spec)
    try:
        inspect.signature(function).bind_partial(**dict(spec.params))
    except (TypeError, ValueError) as error:
        raise SpecError(f"{render(spec)!r}: {error}; {_known_params(function)}") from None
    return functools.partial(function, **dict(spec.params)) if spec.params else function


def _named(group: Group, spec: Spec) -> Any:
    entries = tuple(_entries(group).get(spec.name, {}).values())
    if not entries:
        known = names(group)
        close = difflib.get_close_matches(spec.name, known, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else "."
        raise SpecError(
            f"no {_SINGULAR[group]} is named {spec.name!r}{hint} Known: {', '.join(known)}"
        )
    if len(entries) > 1:
        places = ", ".join(f"{e.value} of {e.dist.name if e.dist else '?'}" for e in entries)
        raise SpecError(
            f"{spec.name!r} is the name of {len(entries)} {group.replace('_', ' ')}: {places}; "
            "none is chosen by chance, so uninstall one or rename its entry point"
        )
    (entry,) = entries
    try:
        return entry.load()
    except Exception as error:
        raise SpecError(f"{spec.name!r} cannot be loaded from {entry.value!r}: {error}") from error


def _without_class(error: TypeError) -> str:
    return re.sub(r"^[\w.<>]+\(\) ", "", str(error))


def _known_params(factory: object) -> str:
    if dataclasses.is_dataclass(factory):
        fields = ", ".join(f.name for f in dataclasses.fields(factory) if f.init) or "none"
        return f"its parameters: {fields}"
    return "see the documentation of its plug-in"


def spec_of(name: str, instance: object) -> Spec:
    """The Spec of a dataclass instance: its fields that differ from their defaults."""
    params: dict[str, int | float | bool | str] = {}
    if dataclasses.is_dataclass(instance):
        for item in dataclasses.fields(instance):
            value = getattr(instance, item.name)
            if item.init and value != item.default and isinstance(value, (bool, int, float, str)):
                params[item.name] = value
    return Spec(name=name, params=tuple(sorted(params.items())))
