"""A small pinned tokenizer with a hub of its own and packages in a local folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from palimpsest.tokens import manifest
from tests.support.hub_server import HubServer, serve
from tests.support.toy_entry import Toy, make_toy


@pytest.fixture(scope="session")
def toy_files(tmp_path_factory: pytest.TempPathFactory) -> Toy:
    """The toy's wheels and pins, made once."""
    return make_toy(tmp_path_factory.mktemp("toy"))


@pytest.fixture
def toy(toy_files: Toy, empty_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Toy:
    """The toy as the only entry of the manifest, a closed hub, and pip confined to a folder."""
    monkeypatch.setattr(manifest, "entries", lambda: {"toy": toy_files.entry})
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:1")
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(toy_files.wheels))
    return toy_files


@pytest.fixture
def hub(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> Iterator[HubServer]:
    """A hub that serves the toy."""
    with serve(toy.hub()) as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        yield server
