"""Reads tokenizer files that a person has: a folder, a ``tokenizer.json``, or a GGUF file.

The chat template is ``chat_template.jinja`` beside the vocabulary, else the one in
``tokenizer_config.json``, which also names the begin and end tokens.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from palimpsest.errors import InputError, NotPrepared
from palimpsest.tokens import gguf_metadata, gguf_vocabulary

_VOCABULARY, _TEMPLATE, _CONFIG = (
    "tokenizer.json",
    "chat_template.jinja",
    "tokenizer_config.json",
)
_SPECIAL = ("bos_token", "eos_token", "pad_token", "unk_token")


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What lies at a path."""

    vocabulary: bytes
    template: bytes | None
    special_tokens: Mapping[str, str] = field(default_factory=dict)
    unknown_tokens: frozenset[str] = frozenset()
    """Special tokens that nothing said: neither a text nor that there is none."""


def read(
    path: Path, template: Path | None = None, renames: Mapping[int, str] | None = None
) -> Found:
    """Read a folder, a ``tokenizer.json`` or a ``.gguf`` file; ``template`` overrides."""
    if path.suffix == ".gguf":
        found = _gguf(path, renames)
    else:
        file = path / _VOCABULARY if path.is_dir() else path
        found = _folder(file)
    if template is None:
        return found
    return Found(
        vocabulary=found.vocabulary,
        template=_bytes(template, "the chat template"),
        special_tokens=found.special_tokens,
        unknown_tokens=found.unknown_tokens,
    )


def _gguf(path: Path, renames: Mapping[int, str] | None) -> Found:
    if not path.exists():
        raise NotPrepared(f"{path}: does not exist")
    metadata = gguf_metadata.read_metadata(path, gguf_vocabulary.METADATA_PREFIXES)
    template = gguf_vocabulary.chat_template(metadata)
    return Found(
        vocabulary=gguf_vocabulary.tokenizer_json(metadata, renames),
        template=template.encode() if template is not None else None,
        special_tokens=gguf_vocabulary.special_tokens(metadata),
    )


def _folder(file: Path) -> Found:
    config = _config(file.with_name(_CONFIG))
    beside = file.with_name(_TEMPLATE)
    template = (
        _bytes(beside, "the chat template") if beside.exists() else _from_config(config, file)
    )
    return Found(
        vocabulary=_bytes(file, "the tokenizer"),
        template=template,
        special_tokens={key: text for key in _SPECIAL if (text := _special(config.get(key)))},
        unknown_tokens=frozenset(
            key
            for key in _SPECIAL
            if _special(config.get(key)) is None and config.get(key, "") is not None
        ),
    )


def _config(path: Path) -> dict[str, Any]:
    if not path.exists():
        return {}
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: is not JSON ({error})") from None
    return data if isinstance(data, dict) else {}


def _from_config(config: Mapping[str, Any], file: Path) -> bytes | None:
    found = config.get("chat_template")
    if isinstance(found, list):  # several named templates: the one called default
        named = {item.get("name"): item.get("template") for item in found if isinstance(item, dict)}
        found = named.get("default")
        if found is None:
            raise InputError(
                f"{file.with_name(_CONFIG)}: chat_template names {sorted(map(str, named))} and no "
                "'default'; give one as template="
            )
    return found.encode() if isinstance(found, str) else None


def _special(value: object) -> str | None:
    if isinstance(value, Mapping):
        value = value.get("content")
    return value if isinstance(value, str) else None


def _bytes(path: Path, what: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise NotPrepared(f"{path}: {what} cannot be read ({error.strerror})") from None
