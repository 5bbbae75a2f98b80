"""A store behind the proxy, served by a real uvicorn on the loopback."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from palimpsest import Budget, Memory
from palimpsest.asking import strategy
from palimpsest.web.limits import Limits
from palimpsest.web.proxy.routes import Proxy
from palimpsest.web.proxy.upstream import upstream
from palimpsest.web.serving import application
from tests.support.in_thread import listening

ROOM = Budget(window=4096, answer=256)
_SETTLED_SECONDS = 200
"""More than three tries of a writer that waits for another process."""
_PROXIES: dict[str, Proxy] = {}


def settled(base: str) -> None:
    """Wait until every turn whose answer was passed on is stored."""
    late = time.monotonic() + _SETTLED_SECONDS
    while base in _PROXIES and _PROXIES[base].keeping:
        assert time.monotonic() < late, f"{_PROXIES[base].keeping} turns are still being stored"
        time.sleep(0.002)


@contextmanager
def proxied(
    memory: Memory, base: str, *, budget: Budget = ROOM, spec: str = "seats", key: str = "",
    model: str = "", answer_seconds: float = 20.0, memory_seconds: float = 10.0,
) -> Iterator[str]:  # fmt: skip
    """The base URL for a client, until the block ends."""
    proxy = Proxy(
        memory, upstream(base, key=key, model=model, answer_seconds=answer_seconds), budget=budget,
        strategy=strategy(spec), memory_seconds=memory_seconds,
    )  # fmt: skip
    app = application(
        memory, routes=proxy.routes, lifespan=proxy.lifespan,
        limits=Limits(rate=0, at_once=0, failures=0),
    )  # fmt: skip
    config = uvicorn.Config(
        app, host="127.0.0.1", port=0, log_level="critical", access_log=False, ws="none",
        timeout_graceful_shutdown=5, timeout_keep_alive=75,
    )  # fmt: skip
    with listening(config) as port:
        base = f"http://127.0.0.1:{port}/v1"
        _PROXIES[base] = proxy
        try:
            yield base
        finally:
            del _PROXIES[base]
