"""Looks at what an embedder says of itself and gives before anything relies on it.

Invariant: what passes has the promised shape, holds finite numbers and unit rows; a vector
of zeros, which is near to nothing and far from nothing, never passes. Whatever an embedder
raises leaves here as an Exception, so that no plug-in ends a thread or the program.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palimpsest.errors import InputError, NotPrepared
from palimpsest.protocols import Embedder, Vectors


class Unusable(Exception):
    """An embedder gave something that is no vector; the message holds no text of anybody."""


def reason(error: BaseException, name: str) -> str:
    """What went wrong, fit to be kept: a plug-in's own message may repeat what was said."""
    if isinstance(error, (Unusable, NotPrepared)):
        return str(error)
    return f"{type(error).__name__} in {name}"


def promised(embedder: Embedder) -> Embedder:
    """The embedder, if what it says of itself can be kept and used; raises InputError."""
    name, dimensions, threshold = embedder.name, embedder.dimensions, embedder.threshold
    if not isinstance(name, str) or not name.strip() or not name.isprintable():
        raise InputError(f"embedder: its name is {name!r}; a line of printable text is needed")
    if isinstance(dimensions, bool) or not isinstance(dimensions, int) or dimensions < 1:
        raise InputError(
            f"embedder {name!r}: dimensions is {dimensions!r}; a whole number from 1 on is needed"
        )
    if not isinstance(threshold, int | float) or not math.isfinite(threshold):
        raise InputError(
            f"embedder {name!r}: threshold is {threshold!r}; a cosine from -1 to 1 is needed"
        )
    return embedder


def query(embedder: Embedder, text: str) -> Vectors:
    """The vector of a question; raises Unusable where it is none."""
    made = _called(embedder, lambda: np.asarray(embedder.query(text)))
    one: Vectors = _rows(embedder, made[None], 1)[0]
    return one


def passages(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    """One row a text; raises Unusable where one is none."""
    made = _called(embedder, lambda: np.asarray(embedder.passages(texts)))
    return _rows(embedder, made, len(texts))


def _called(embedder: Embedder, call: Callable[[], NDArray[Any]]) -> NDArray[Any]:
    try:
        return call()
    except (Exception, KeyboardInterrupt):
        raise
    except BaseException as error:  # noqa: BLE001 - a plug-in may raise anything
        # SystemExit, a cancelled task, a panic of compiled code: the plug-in's, not ours.
        raise Unusable(f"{type(error).__name__} in {embedder.name}") from None


def _rows(embedder: Embedder, made: NDArray[Any], many: int) -> Vectors:
    wanted = (many, embedder.dimensions)
    if made.shape != wanted:
        raise Unusable(f"{embedder.name}: gave vectors of shape {made.shape}, not {wanted}")
    if made.dtype.kind not in "fiu":
        raise Unusable(f"{embedder.name}: gave {made.dtype} where numbers are needed")
    # In 64 bit, for the squares of large or small 32-bit numbers leave the range of 32 bit.
    rows = made.astype(np.float64)
    largest = np.abs(rows).max(axis=1, keepdims=True)
    if not np.isfinite(largest).all() or not largest.all():
        raise Unusable(f"{embedder.name}: gave a vector of zeros or of no finite numbers")
    rows /= largest
    unit: Vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return unit
