"""The words by which an answer says that a value is old, denied, or not known, per language.

A file here is one language, named by its code. ``negations`` deny the value behind them,
unless they stand in ``no_negations``, and reach no further than a ``stops``; ``old_before``
and ``old_after`` mark the value beside them as replaced; ``denied_after`` is a predicate that
denies the value right before it, with none of ``denied_stops`` between; one of ``changes`` with ``from``
or ``to`` tells the old value from the new; behind ``new_before`` a value is current, and
``kept_after`` says that the value before still holds. A change with one of ``hedges`` in it
is only talked about; ``past`` right before a value puts it behind the present one beside it. A line of ``headings`` makes the list
below it old; a sentence that begins with ``pointing`` speaks of the one before. ``says_missing``
is an answer that was not told, unless it is a ``says_nothing_missing``.

Invariant: a mark never begins or ends inside a word.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cache
from importlib import resources
from re import Pattern

from palimpsest.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """The compiled marks of one or several languages."""

    negations: Pattern[str]
    no_negations: Pattern[str]
    old_before: Pattern[str]
    changed_from: Pattern[str]
    """A verb of change with its "from", nothing but a few words between."""
    changed_to: Pattern[str]
    """A verb of change with its "to"."""
    changes: Pattern[str]
    new_before: Pattern[str]
    old_after: Pattern[str]
    denied_after: Pattern[str]
    """A predicate that denies the value right before it, at most a few plain words away."""
    hedges: Pattern[str]
    kept_after: Pattern[str]
    stops: Pattern[str]
    past: Pattern[str]
    """The past tense right before a value."""
    from_word: Pattern[str]
    """A bare "from" right before a value."""
    to_word: Pattern[str]
    """A bare "to" between two values."""
    pointing: Pattern[str]
    headings: Pattern[str]
    says_missing: Pattern[str]
    says_nothing_missing: Pattern[str]


def names() -> tuple[str, ...]:
    """The languages that have marks."""
    files = (entry.name for entry in resources.files(__name__).iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in files if name.endswith(".toml")))


@cache
def marks(languages: tuple[str, ...]) -> Marks:
    """The marks of these languages together; raises InputError with the known ones."""
    unknown = [name for name in languages if name not in names()]
    if unknown or not languages:
        raise InputError(
            f"languages: {', '.join(map(repr, unknown)) or 'none'} has no marks; known: "
            f"{', '.join(names())}"
        )
    tables = [_table(name) for name in languages]
    together = {key: [item for table in tables for item in table[key]] for key in _KEYS}
    sides = {"changed_from": "from", "changed_to": "to"}
    between = r"(?:\s+(?!(?:now|is|are|maintenant|est|sont)\b)[^\s,;:]+){0,6}?\s+"
    return Marks(
        **{name: _words(together[name]) for name in _PLAIN},
        **{
            name: re.compile(
                f"{_either(together['changes'])}{between}{_either(together[side])}", re.IGNORECASE
            )
            for name, side in sides.items()
        },
        past=_right_before(together["past"]),
        denied_after=_predicate(together["denied_after"], together["denied_stops"]),
        from_word=_right_before(together["from"]),
        to_word=re.compile(rf"{_either(together['to'])}", re.IGNORECASE),
    )


_PLAIN = tuple(
    field.name
    for field in fields(Marks)
    if field.name
    not in ("changed_from", "changed_to", "from_word", "to_word", "past", "denied_after")
)
_KEYS = (*_PLAIN, "from", "to", "past", "denied_after", "denied_stops")


def _table(name: str) -> dict[str, list[str]]:
    text = (resources.files(__name__) / f"{name}.toml").read_text(encoding="utf-8")
    table: dict[str, list[str]] = tomllib.loads(text)
    assert set(table) == set(_KEYS), f"{name}.toml: {set(table) ^ set(_KEYS)}"
    return table


def _right_before(items: Sequence[str]) -> Pattern[str]:
    return re.compile(rf"{_either(items)}\W*(?:(?:the|les?|la|at|for|from) )?\W*$", re.IGNORECASE)


def _predicate(items: Sequence[str], stops: Sequence[str]) -> Pattern[str]:
    plain = rf"(?:\s+(?!{_either(stops)}(?:n't)?(?!\w))[\w€$][^\s,;:.()—–]*){{0,4}}?"
    another = r"(?:\s+(?:and|or|et|ou)\s+(?-i:[A-Z])\w+(?=\s+(?:are|were|do|have|sont)))?"
    return re.compile(
        rf"[\w€$]*{plain}{another}(?:\s*,[^,;:.()]{{1,20}},|\s*\([^()]{{1,30}}\))?(?:\s+|(?=[':])){_either(items)}",
        re.IGNORECASE,
    )


def _words(items: Sequence[str]) -> Pattern[str]:
    return re.compile(_either(items), re.IGNORECASE)


def _either(items: Sequence[str]) -> str:
    # A word mark stands alone; a sign or an ending such as n't may touch letters.
    return "(?:" + "|".join(_bounded(item) for item in items) + ")"


def _bounded(item: str) -> str:
    starts_with_letter = item[0].isalnum() or item.startswith("(?:")
    before = "" if item == "n't" or not starts_with_letter else r"(?<!\w)"
    after = r"(?!\w)" if item[-1].isalnum() or item[-1] in ")?+*" else ""
    return f"{before}(?:{item}){after}"
