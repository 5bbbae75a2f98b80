"""Embedders that misbehave on command, around one that does not."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from palimpsest.embedders.hashed import Hashed
from palimpsest.protocols import Vectors


@dataclass(kw_only=True, eq=False)
class Moody:
    """``hashed``, but it hangs while ``answers`` is cleared and raises while ``error`` is set."""

    dimensions: int = 64
    threshold: float = 0.25
    delay: float = 0.0
    error: Exception | None = None
    refuses: str = ""
    """Raises for a passage that holds this."""
    answers: threading.Event = field(default_factory=threading.Event)
    entered: threading.Event = field(default_factory=threading.Event)
    calls: list[str] = field(default_factory=list)
    embedded: list[str] = field(default_factory=list)
    """Every passage that was given a vector."""

    def __post_init__(self) -> None:
        self.answers.set()

    @property
    def name(self) -> str:
        return f"moody-{self.dimensions}"

    def query(self, text: str) -> Vectors:
        self._behave("query")
        return Hashed(dimensions=self.dimensions).query(text)

    def passages(self, texts: Sequence[str]) -> Vectors:
        self._behave("passages")
        if self.refuses and any(self.refuses in text for text in texts):
            raise ValueError(f"cannot read {texts}")
        self.embedded += texts
        return Hashed(dimensions=self.dimensions).passages(texts)

    def _behave(self, call: str) -> None:
        self.calls.append(call)
        self.entered.set()
        self.answers.wait(60)
        time.sleep(self.delay)
        if self.error is not None:
            raise self.error
