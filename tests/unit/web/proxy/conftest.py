"""A store, a scripted upstream and the official client, joined by the real proxy.

The tests of a file share them, and each speaks as a user of its own. Not those of the session: a
server that runs on would be met by whatever a later test does to the clock or to sockets.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import openai
import pytest

from palimpsest import Memory
from palimpsest.tokens.counter import TokenCounter
from palimpsest.tokens.local import LocalTokenizer
from palimpsest.tokens.prepared import load
from tests.support.proxied import proxied
from tests.support.upstream import Scripted, said, scripted

_NUMBERS = itertools.count(1)


@pytest.fixture(scope="session")
def counter(gemma: LocalTokenizer) -> TokenCounter:
    """One cache of counts for all; its frame takes tools."""
    return TokenCounter(load(gemma.name, frame="tool-text"))


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory, counter: TokenCounter) -> Iterator[Memory]:
    path: Path = tmp_path_factory.mktemp("proxy") / "m.db"
    with Memory.open(path, counter=counter) as made:
        yield made


@pytest.fixture(scope="module")
def upstream() -> Iterator[Scripted]:
    with scripted() as made:
        yield made


@pytest.fixture
def up(upstream: Scripted) -> Scripted:
    """The upstream, asked nothing yet, which always says the same."""
    upstream.answer = said("An answer.")
    for kept in (upstream.asked, upstream.raw, upstream.headers, upstream.sent):
        kept.clear()
    upstream.left.clear()
    return upstream


@pytest.fixture(scope="module")
def base(memory: Memory, upstream: Scripted) -> Iterator[str]:
    """The base URL of the proxy."""
    with proxied(memory, upstream.url) as url:
        yield url


@pytest.fixture
def user() -> str:
    """Somebody new."""
    return f"user-{next(_NUMBERS)}"


@pytest.fixture
def client(base: str, up: Scripted) -> Iterator[openai.OpenAI]:
    """The official client; only its base URL is ours."""
    with openai.OpenAI(base_url=base, api_key="none", max_retries=0) as made:
        yield made
