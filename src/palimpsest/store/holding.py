"""Which rows of a database hold a value: the part of an audit that reads, not scans.

Every table is read, also those of the full-text index, whatever a newer schema adds. The
texts are compared without case and accents' composition, and no text leaves this file.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import regex

from palimpsest.language.json_texts import leaves
from palimpsest.store.database import Database

_APART = regex.compile(r"[^\p{L}\p{M}\p{N}]+")
"""Full-text rows keep words and no signs between them."""
_TIME = regex.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[\d.:+Z]*")
"""Our own dates hold no user's words; the year of one would be found in all of them."""

Holds = Callable[[str], bool]
"""Says whether a text holds the value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding:
    """How many rows of one table hold the value."""

    table: str
    rows: int


def holding(db: Database, holds: Holds) -> tuple[Holding, ...]:
    """The tables with a row that holds the value, in one state of the database."""
    found = []
    with db.reading():
        for table in _tables(db):
            rows = sum(any(holds(text) for text in _texts(row)) for row in db.rows(_all(table)))
            if rows:
                found.append(Holding(table=table, rows=rows))
    return tuple(found)


def contains(values: Iterable[str]) -> Holds:
    """Holds one of the values as words of their own, letter case and Unicode form apart."""
    wanted = "|".join(regex.escape(_plain(value).strip()) for value in values)
    found = regex.compile(rf"(?<![\p{{L}}\p{{N}}])(?:{wanted})(?![\p{{L}}\p{{N}}])")
    return lambda text: found.search(_plain(text)) is not None


def _plain(text: str) -> str:
    return _APART.sub(" ", unicodedata.normalize("NFKC", text).casefold())


def _tables(db: Database) -> tuple[str, ...]:
    rows = db.rows(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' "
        "ORDER BY name"
    )
    return tuple(name for (name,) in rows)


def _all(table: str) -> str:
    name = table.replace('"', '""')
    return f'SELECT * FROM "{name}"'


def _texts(row: Iterable[object]) -> Iterator[str]:
    for cell in row:
        if isinstance(cell, bytes):
            yield cell.decode("utf-8", "replace")
        elif isinstance(cell, str):
            if _TIME.fullmatch(cell):
                continue
            yield cell
            if cell[:1] in '[{"':
                # An escape would hide a character.
                yield from leaves(cell)
