"""What every test may use; the network is closed except for the loopback."""

from __future__ import annotations

import faulthandler
import ipaddress
import signal
import socket
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from palimpsest.errors import NotPrepared
from palimpsest.tokens.local import LocalTokenizer
from palimpsest.tokens.prepare import prepare
from palimpsest.tokens.prepared import load
from tests.support.small_tokenizers import CHATML, small

# A busy machine is slow, not wrong: no test fails by the clock.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")

# A shell's job in the background ignores Ctrl-C, one under nohup the hang-up of its terminal, and
# so would every process that a test starts.
for _signal, _usual in (
    (signal.SIGINT, signal.default_int_handler),
    (signal.SIGHUP, signal.SIG_DFL),
    (signal.SIGQUIT, signal.SIG_DFL),
    (signal.SIGTERM, signal.SIG_DFL),
):
    if signal.getsignal(_signal) is signal.SIG_IGN:
        signal.signal(_signal, _usual)

REPOSITORY = Path(__file__).resolve().parent.parent


_END_SECONDS = 120


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker that cannot end is ended, and its stacks tell why: the others would wait for ever."""
    if hasattr(session.config, "workerinput"):
        faulthandler.dump_traceback_later(_END_SECONDS, exit=True, file=sys.__stderr__)


@pytest.fixture(autouse=True)
def loopback_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse every connection that would leave this machine."""
    connect, resolve = socket.socket.connect, socket.getaddrinfo

    def guarded_connect(self: socket.socket, address: Any) -> None:
        if self.family != socket.AF_UNIX and not _is_loopback(address[0]):
            raise OSError(f"tests may not connect to {address[0]!r}")
        connect(self, address)

    def guarded_resolve(host: Any, *args: Any, **kwargs: Any) -> Any:
        if host is not None and not _is_loopback(host):
            raise socket.gaierror(f"tests may not look up {host!r}")
        return resolve(host, *args, **kwargs)

    monkeypatch.setattr(socket.socket, "connect", guarded_connect)
    monkeypatch.setattr(socket, "getaddrinfo", guarded_resolve)


def _is_loopback(host: Any) -> bool:
    name = host.decode() if isinstance(host, bytes) else str(host)
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name == "localhost"


@pytest.fixture(scope="session")
def gemma() -> LocalTokenizer:
    """The exact tokenizer of the benchmark, from the normal cache."""
    try:
        found = load("gemma-4-e2b")
    except NotPrepared:
        prepare("gemma-4-e2b", source="packages")
        found = load("gemma-4-e2b")
    assert found.frame.additive
    return found


@pytest.fixture(scope="session")
def tool_text(gemma: LocalTokenizer) -> LocalTokenizer:
    """The tokenizer of ``atelier-60``: the same vocabulary, tools written as text."""
    return load("gemma-4-e2b", frame="tool-text", media_tokens=256)


@pytest.fixture(scope="session")
def chatml() -> LocalTokenizer:
    """A small real tokenizer whose template takes tools, calls, results and raw parts."""
    return small(CHATML, name="chatml", media_tokens=85)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of published data beside the repository; where it is, it must be readable."""
    place = REPOSITORY.parent / "shared"
    if not place.is_dir():
        pytest.skip(f"NOT CHECKED against the published data: {place} is missing")
    return place


@pytest.fixture(scope="session")
def published(shared: Path) -> Path:
    """The published data itself."""
    return shared / "published"


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder in which nothing is prepared."""
    place = tmp_path / "cache"
    monkeypatch.setenv("PALIMPSEST_CACHE", str(place))
    return place
