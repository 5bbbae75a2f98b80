"""``hashed``: content words and their pieces, hashed into a vector. No model, no file.

It knows spelling and no meaning: it serves tests and stands in where any vectors will do.
Invariant: equal texts give equal vectors on every machine and in every version of Python.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from palimpsest.errors import SpecError
from palimpsest.language.content_words import content_list
from palimpsest.protocols import Vectors

_PIECE = 4
"""Letters of a piece of a word."""
_PIECE_WEIGHT = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Hashed:
    """See protocols.Embedder; ``threshold`` separates texts that share a word or two."""

    dimensions: int = 384
    threshold: float = 0.25

    def __post_init__(self) -> None:
        if self.dimensions < 8:
            raise SpecError(f"hashed: dimensions is {self.dimensions}; it must be at least 8")

    @property
    def name(self) -> str:
        return f"hashed-{self.dimensions}"

    def query(self, text: str) -> Vectors:
        """The vector of a question; questions and passages share one space."""
        vector = np.zeros(self.dimensions, dtype=np.float32)
        for feature, weight in _features(text):
            digest = hashlib.blake2b(feature.encode(), digest_size=8).digest()
            number = int.from_bytes(digest, "little")
            vector[number % self.dimensions] += weight if number >> 63 else -weight
        length = float(np.linalg.norm(vector))
        if not length:
            # A text without words points somewhere too: a zero vector is near to nothing.
            vector[0] = length = 1.0
        unit: Vectors = (vector / np.float32(length)).astype(np.float32)
        return unit

    def passages(self, texts: Sequence[str]) -> Vectors:
        """One row a text."""
        made = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for place, text in enumerate(texts):
            made[place] = self.query(text)
        return made


def _features(text: str) -> Iterator[tuple[str, float]]:
    for word in content_list(text):
        yield word, 1.0
        framed = f"^{word}$"
        for start in range(len(framed) - _PIECE + 1):
            yield f"#{framed[start : start + _PIECE]}", _PIECE_WEIGHT
