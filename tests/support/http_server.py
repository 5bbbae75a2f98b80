"""A real server of a store on a loopback port, in a thread of the test."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn

from palimpsest import Memory
from palimpsest.cli.serve import _SETTINGS as SETTINGS
from palimpsest.web.serving import application


@contextmanager
def serving(memory: Memory, **given: Any) -> Iterator[str]:
    """The address of a running server, with the settings of ``palimpsest serve``."""
    config = uvicorn.Config(application(memory, **given), port=0, **SETTINGS)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.005)
    (port,) = {sock.getsockname()[1] for each in server.servers for sock in each.sockets}
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join()
