"""Looks at what an embedder gives before anything relies on it.

Invariant: what passes has the promised shape, holds finite numbers and unit rows; a vector
of zeros, which is near to nothing and far from nothing, never passes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palimpsest.errors import NotPrepared
from palimpsest.protocols import Embedder, Vectors


class Unusable(Exception):
    """An embedder gave something that is no vector; the message holds no text of anybody."""


def reason(error: Exception, name: str) -> str:
    """What went wrong, fit to be kept: a plug-in's own message may repeat what was said."""
    if isinstance(error, (Unusable, NotPrepared)):
        return str(error)
    return f"{type(error).__name__} in {name}"


def query(embedder: Embedder, text: str) -> Vectors:
    """The vector of a question; raises Unusable where it is none."""
    one: Vectors = _rows(embedder, np.asarray(embedder.query(text))[None], 1)[0]
    return one


def passages(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    """One row a text; raises Unusable where one is none."""
    return _rows(embedder, np.asarray(embedder.passages(texts)), len(texts))


def _rows(embedder: Embedder, made: NDArray[Any], many: int) -> Vectors:
    wanted = (many, embedder.dimensions)
    if made.shape != wanted:
        raise Unusable(f"{embedder.name}: gave vectors of shape {made.shape}, not {wanted}")
    rows: Vectors = made.astype(np.float32)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or not lengths.all():
        raise Unusable(f"{embedder.name}: gave a vector of zeros or of no finite numbers")
    unit: Vectors = rows / lengths
    return unit
