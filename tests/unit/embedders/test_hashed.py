"""The embedder without a model: the same vector everywhere, near for what shares words."""

from __future__ import annotations

import numpy as np
import pytest

from palimpsest import registry
from palimpsest.embedders.hashed import Hashed
from palimpsest.errors import SpecError
from palimpsest.protocols import Embedder

TEXTS = ("I moved to Oslo in May.", "My sister keeps bees.", "烤鸭", "!?")


def test_it_is_found_by_its_name() -> None:
    """The registry makes it from a Spec, and it keeps the protocol."""
    made = registry.load("embedders", registry.parse("hashed(dimensions=64)"))

    assert isinstance(made, Embedder)
    assert ("hashed-64", 64) == (made.name, made.dimensions)


def test_rows_are_unit_vectors_and_do_not_depend_on_their_neighbours() -> None:
    """A text has one vector, in a batch and alone, as a passage and as a question."""
    embedder = Hashed()
    rows = embedder.passages(TEXTS)

    assert ((4, 384), np.float32) == (rows.shape, rows.dtype)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-6)
    for text, row in zip(TEXTS, rows, strict=True):
        assert embedder.query(text).tobytes() == row.tobytes()


def test_vectors_are_the_same_in_every_process() -> None:
    """What was stored once is compared with what is made later."""
    found = np.flatnonzero(Hashed(dimensions=16).query("Oslo"))

    assert [0, 3, 4, 15] == found.tolist()


def test_shared_words_are_near_and_others_are_not() -> None:
    """The threshold stands between a text that shares words and one that does not."""
    embedder = Hashed()
    near, far = embedder.passages(TEXTS[:2]) @ embedder.query("When did I move to Oslo?")

    assert near > embedder.threshold > far


def test_too_few_dimensions_are_refused() -> None:
    """A Spec that cannot work says so."""
    with pytest.raises(SpecError, match="at least 8"):
        Hashed(dimensions=2)
