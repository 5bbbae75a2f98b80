"""The server over streamable HTTP, for this machine alone.

Invariant: a request whose Host is not this very address, or whose Origin is another site, is
refused before any tool runs (DNS rebinding); what is too large is refused before it is read.
"""

from __future__ import annotations

import socket
from typing import Any

import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import ASGIApp

PATH = "/mcp"
SESSIONS = 200
"""Clients at once; an idle one gives up its place after half an hour."""
_FAREWELL = 2
"""Seconds that open streams have when the server ends."""


def endpoint(server: Server[Any], *, host: str, port: int) -> ASGIApp:
    """The ASGI application that answers at one address only."""
    names = [f"{name}:{port}" for name in dict.fromkeys((host, "127.0.0.1", "localhost"))]
    return server.streamable_http_app(
        streamable_http_path=PATH, host=host, max_sessions=SESSIONS,
        transport_security=TransportSecuritySettings(
            allowed_hosts=names, allowed_origins=[f"http://{name}" for name in names]
        ),
    )  # fmt: skip


def serve(app: ASGIApp, listening: socket.socket) -> None:
    """Answer clients on a socket that listens, until Ctrl-C."""
    config = uvicorn.Config(
        app, log_config=None, access_log=False, server_header=False, proxy_headers=False,
        timeout_graceful_shutdown=_FAREWELL, ws="none",
    )  # fmt: skip
    uvicorn.Server(config).run(sockets=[listening])
