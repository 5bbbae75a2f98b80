"""Reads sweeps: one number of a Spec or of the budget, at every value of a range.

``answer=64..256:32`` and ``window=384,512`` repeat the run under other budgets;
``managed(quota=80..320:40)`` runs one strategy at each value; ``quota=120,160`` repeats the
memory strategies at other facts quotas. A range holds both ends where the step meets them.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from palimpsest import registry
from palimpsest.errors import InputError, SpecError
from palimpsest.types import Spec

BudgetKey = Literal["window", "answer", "margin"]
BUDGET_KEYS: tuple[BudgetKey, ...] = ("window", "answer", "margin")
MOST_POINTS = 64
_NUMBER = r"-?[0-9]{1,9}(?:\.[0-9]{1,9})?"
_RANGE = re.compile(rf"(?P<first>{_NUMBER})\.\.(?P<last>{_NUMBER})(?::(?P<step>{_NUMBER}))?")
_WHOLE = re.compile(r"[0-9]{1,9}")
_QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")
_FORM = (
    "write quota=120,160,240 for facts quotas, answer=64..256:32 (or window=, margin=) for the "
    "budget, or a Spec with a range such as 'managed(quota=80..320:40)'"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetSweep:
    """One key of the budget at several values."""

    text: str
    key: BudgetKey
    values: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecSweep:
    """One strategy with several parameters."""

    text: str
    specs: tuple[Spec, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweeps:
    """Everything that a command line sweeps."""

    quotas: tuple[int, ...] | None = None
    """Facts quotas in place of those of the settings; ``None`` leaves them."""
    others: tuple[BudgetSweep | SpecSweep, ...] = ()


def parse_all(texts: Sequence[str]) -> Sweeps:
    """Read every ``--sweep``; raises InputError with the text and the forms."""
    quotas: list[int] | None = None
    others: dict[str, BudgetSweep | SpecSweep] = {}
    for text in texts:
        key, equals, values = text.partition("=")
        name = key.strip()
        if not equals or not name.isidentifier():
            others[text] = SpecSweep(text=text.strip(), specs=_specs(text))
        elif name == "quota":
            quotas = [*(quotas or []), *_values(text, values)]
        else:
            others[text] = _budget(text, name, values)
    return Sweeps(
        quotas=tuple(dict.fromkeys(quotas)) if quotas is not None else None,
        others=tuple(others.values()),
    )


def _budget(text: str, name: str, values: str) -> BudgetSweep:
    for key in BUDGET_KEYS:
        if key == name:
            return BudgetSweep(text=text.strip(), key=key, values=_values(text, values))
    known = ", ".join(("quota", *BUDGET_KEYS))
    raise InputError(f"--sweep {text!r}: {name!r} is not one of {known}; {_FORM}")


def _values(text: str, values: str) -> tuple[int, ...]:
    """Whole numbers from a list of numbers and ranges."""
    found: list[int] = []
    for item in (item.strip() for item in values.split(",")):
        ranged = _RANGE.fullmatch(item)
        if ranged:
            found += [_whole(text, value) for value in _range(text, ranged)]
        elif _WHOLE.fullmatch(item):
            found.append(int(item))
        else:
            raise InputError(
                f"--sweep {text!r}: {item!r} is neither a whole number of tokens nor a range "
                f"FIRST..LAST:STEP; {_FORM}"
            )
    _check_number(text, len(dict.fromkeys(found)))
    return tuple(dict.fromkeys(found))


def _whole(text: str, value: Decimal) -> int:
    if value != value.to_integral_value() or value < 0:
        raise InputError(f"--sweep {text!r}: {value} is not a whole number of tokens")
    return int(value)


def _range(text: str, ranged: re.Match[str]) -> tuple[Decimal, ...]:
    first, last = Decimal(ranged["first"]), Decimal(ranged["last"])
    step = Decimal(ranged["step"]) if ranged["step"] is not None else Decimal(1)
    if step <= 0:
        raise InputError(f"--sweep {text!r}: the step {step} of {ranged.group()!r} is not above 0")
    if last < first:
        raise InputError(
            f"--sweep {text!r}: {ranged.group()!r} runs backwards; write {last}..{first}"
        )
    number = int((last - first) / step) + 1
    _check_number(text, number)
    return tuple(first + step * place for place in range(number))


def _check_number(text: str, number: int) -> None:
    if number > MOST_POINTS:
        raise InputError(
            f"--sweep {text!r}: comes to {number} points, the most is {MOST_POINTS}; "
            "take a larger step"
        )


def _specs(text: str) -> tuple[Spec, ...]:
    """Every combination of the ranges of a Spec text; quoted texts are left alone."""
    pieces = list(_pieces(text))
    if not any(len(piece) > 1 for piece in pieces) and not _ranges(text):
        raise InputError(f"--sweep {text!r}: holds no range to sweep; {_FORM}")
    number = 1
    for piece in pieces:
        number *= len(piece)
    _check_number(text, number)
    try:
        return tuple(registry.parse("".join(chosen)) for chosen in itertools.product(*pieces))
    except SpecError as error:
        raise InputError(f"--sweep {text!r}: {error}") from None


def _pieces(text: str) -> Iterator[tuple[str, ...]]:
    """The text cut at its ranges: plain pieces with one form, ranges with one a value."""
    at = 0
    for found in _ranges(text):
        yield (text[at : found.start()],)
        yield tuple(str(value) for value in _range(text, found))
        at = found.end()
    yield (text[at:],)


def _ranges(text: str) -> list[re.Match[str]]:
    quoted = [found.span() for found in _QUOTED.finditer(text)]
    return [
        found
        for found in _RANGE.finditer(text)
        if not any(start <= found.start() < end for start, end in quoted)
    ]
