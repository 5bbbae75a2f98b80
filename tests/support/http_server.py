"""A real server of a store on a loopback port, in a thread of the test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn

from palimpsest import Memory
from palimpsest.cli.serve import _SETTINGS as SETTINGS
from palimpsest.web.serving import application
from tests.support.in_thread import listening


@contextmanager
def serving(memory: Memory, **given: Any) -> Iterator[str]:
    """The address of a running server, with the settings of ``palimpsest serve``."""
    config = uvicorn.Config(application(memory, **given), port=0, **SETTINGS)
    with listening(config) as port:
        yield f"http://127.0.0.1:{port}"
