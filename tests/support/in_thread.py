"""A real uvicorn in a thread of the test, on a free loopback port."""

from __future__ import annotations

import faulthandler
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

_END_SECONDS = 60


@contextmanager
def listening(config: uvicorn.Config) -> Iterator[int]:
    """The port, until the block ends; a server that does not end shows where it stands."""
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive(), "the server did not start"
        time.sleep(0.005)
    try:
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(_END_SECONDS)
        if thread.is_alive():
            faulthandler.dump_traceback(sys.__stderr__)
            raise AssertionError(f"the server did not end within {_END_SECONDS} seconds")
