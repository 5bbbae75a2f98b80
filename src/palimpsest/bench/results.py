"""Results that were worked out once, under a key that holds everything they depend on.

Two runs share a result only if the strategy and its version, its settings and budget, the
tokenizer with its template, the case and the grader are all the same. A failure is never
kept, nor is a result without a request. Invariant: a kept result equals a fresh one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from palimpsest.types import Budget

R = TypeVar("R")


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """Everything that a result depends on."""

    strategy: str
    """The printed Spec."""
    version: str
    """The version of this package and the hash of the strategy's source."""
    config: str
    """The fingerprint of the settings."""
    budget: Budget
    tokenizer: str
    """The fingerprint of vocabulary and template."""
    case: str
    """The digest of the case's content."""
    grader: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Found(Generic[R]):
    """A result, and whether it was kept from an earlier run."""

    value: R
    kept: bool


class Results(Generic[R]):
    """Results by key, in memory; give one to several runs and they share what is equal."""

    def __init__(self) -> None:
        self._kept: dict[Key, R] = {}
        self.executions = 0
        """How many results were worked out."""
        self.hits = 0
        """How many were taken from an earlier run."""

    def get(self, key: Key, make: Callable[[], R], *, keep: Callable[[R], bool]) -> Found[R]:
        """The kept result, or a fresh one from ``make``, kept where ``keep`` allows it."""
        if key in self._kept:
            self.hits += 1
            return Found(value=self._kept[key], kept=True)
        self.executions += 1
        value = make()
        if keep(value):
            self._kept[key] = value
        return Found(value=value, kept=False)
