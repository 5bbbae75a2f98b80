"""One case of the forget suite: what is said, what is forgotten, what must be gone and what stays.

Invariant: plain data; ``gone`` and ``kept`` are texts as they were said in the case.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Split = Literal["dev", "held-out"]
SPLITS: tuple[Split, ...] = ("dev", "held-out")
KINDS = (
    "exact", "surface", "compound", "chain", "description", "collision", "repeated", "quoted",
    "re-reflection", "re-assertion", "cross-language", "sentence", "bare",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One turn; ``fact`` is remembered from it, or corrects what its attribute had."""

    user: str
    assistant: str = "Noted."
    attribute: str | None = None
    value: str | None = None
    text: str | None = None
    """What is remembered, where it is not all that the user said."""
    corrects: bool = False
    tool: str | None = None
    """The result of a tool that was called in the turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """See the module."""

    kind: str
    split: Split
    name: str
    said: tuple[Said, ...]
    forget: Mapping[str, Any] = field(default_factory=dict)
    """``attribute``, ``value``, ``words``; or ``sentence``, which the user says."""
    asks: bool = False
    """The words may mean several: nothing is forgotten, and that is said."""
    later: tuple[Said, ...] = ()
    """What is said after the forget."""
    again: bool = False
    """Everything is read again afterwards, by an extractor that proposes the old statements."""
    gone: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
