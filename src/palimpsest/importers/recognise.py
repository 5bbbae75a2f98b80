"""Which format a file is of, by what stands in it.

Invariant: only the first documents are read, none of it is kept, and a file that is nothing
known is an error that names what is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from palimpsest.errors import InputError
from palimpsest.importers.formats import FORMATS, Format, format_of
from palimpsest.importers.source import Item, Mode, Source

OWN = "palimpsest"
"""The name of the program's own export, which another reader takes."""
_HEAD = 1 << 12
_LOOKED_AT = 50
"""Documents that are looked at: logs begin with records that say little."""
_OUTER = re.compile(r'\s*\{\s*"(conversations|data|chats)"\s*:\s*\[\s*(?=\{)')


@dataclass(frozen=True, slots=True, kw_only=True)
class Recognised:
    """What a file is, and how its documents stand in it."""

    format: Format | None
    """``None`` for an export of this program."""
    mode: Mode = "lines"
    key: str = ""


def recognised(source: Source, *, forced: str = "") -> Recognised:
    """What ``source`` holds, or how it holds what ``forced`` names; raises InputError."""
    known = format_of(forced) if forced and forced != OWN else None
    if forced == OWN:
        return Recognised(format=None)
    head = _head(source)
    if not head.strip():
        raise InputError(f"{source.name}: is empty; there is nothing to import")
    for mode, key in _modes(head):
        first = list(islice(_documents(source, mode, key), _LOOKED_AT))
        if (
            not forced
            and mode == "lines"
            and first[:1]
            and first[0].get("format") == ("palimpsest export")
        ):
            return Recognised(format=None)
        for each in first:
            for format in (known,) if known else FORMATS.values():
                if format.fits(each):
                    return Recognised(format=format, mode=mode, key=key)
    if known:
        raise InputError(f"{source.name}: holds no {known.title} (--format {known.name})")
    raise InputError(
        f"{source.name}: is no chat log that is known ({OWN}, {', '.join(FORMATS)}); --format "
        "names one of these, and docs/import.md shows their shapes"
    )


def _head(source: Source) -> str:
    with source.opened() as file:
        return source.read(file, _HEAD).decode("utf-8", "replace")


def _modes(head: str) -> Iterator[tuple[Mode, str]]:
    """The ways in which the documents may stand, the likeliest first."""
    if head.lstrip().startswith("["):
        yield "array", ""
        return
    if outer := _OUTER.match(head):
        yield "array", outer[1]
    # A line that is longer than what was read may be the whole of a large file.
    if "\n" in head or len(head) < _HEAD:
        yield "lines", ""
    yield "values", ""
    if "\n" not in head:
        yield "lines", ""


def _documents(source: Source, mode: Mode, key: str) -> Iterator[Mapping[str, Any]]:
    for item in islice(source.items(mode, key), _LOOKED_AT):
        if item.fault and mode != "lines":
            return
        if _is_document(item):
            yield item.value


def _is_document(item: Item) -> bool:
    return not item.fault and isinstance(item.value, Mapping)
