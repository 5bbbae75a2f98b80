"""``palimpsest mcp``: the memory as tools for any MCP client, over stdio or on this machine."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from palimpsest.cli.serve import HOST, bound
from palimpsest.cli.store_options import embedder_options, opened, store_options
from palimpsest.engine import Memory
from palimpsest.errors import Forbidden, InputError, NotPrepared
from palimpsest.types import Scope as Whose

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

_PORT = 8378
INSTALL = "pip install 'palimpsest-memory[mcp]'"


@click.command()
@click.option("--http", is_flag=True, help="Serve streamable HTTP at 127.0.0.1 instead of stdio.")
@click.option(
    "--port", type=click.IntRange(0, 65535), metavar="PORT",
    help="With --http; 8378 by default, 0 for any that is free.",
)  # fmt: skip
@embedder_options
@store_options
def mcp(
    http: bool, port: int | None, embedder: str | None, config: Path | None, store: Path,
    user: str, conversation: str,
) -> None:  # fmt: skip
    """Serve the memories of one user's conversation as MCP tools.

    A client starts this command and speaks to it over standard input and output. Whose
    memories they are is said here and nowhere else: no tool takes a user.
    """
    try:
        from palimpsest.integrations.mcp import http as over_http
        from palimpsest.integrations.mcp import quiet_logs, stdio
        from palimpsest.integrations.mcp.server import application
    except ImportError as error:
        package = str(error.name).partition(".")[0]
        raise NotPrepared(f"the MCP server needs {package!r}: {INSTALL}") from None
    if port is not None and not http:
        raise InputError("--port: there is a port only with --http")
    quiet_logs.to_stderr()
    whose = Whose(user=user, conversation=conversation)
    with opened(store, make=True, config=config, embedder=embedder) as memory:
        server = application(memory, whose)
        if not http:
            if sys.stdin.isatty():
                click.echo("an MCP client starts this command; Ctrl-C ends it", err=True)
            stdio.serve(server)
            return
        with bound(HOST, _PORT if port is None else port) as listening:
            own = listening.getsockname()[1]
            click.echo(
                f"http://{HOST}:{own}{over_http.PATH} serves {user!r} of {store}; Ctrl-C ends it"
            )
            endpoint = over_http.endpoint(server, host=HOST, port=own)
            over_http.serve(_behind_keys(endpoint, memory, user), listening)


def _behind_keys(app: ASGIApp, memory: Memory, user: str) -> ASGIApp:
    """The same, for programs of this machine; once there are keys, with one that holds the user."""
    from palimpsest.web.gate import Gate
    from palimpsest.web.limits import Limits

    async def held(request: Scope, receive: Receive, send: Send) -> None:
        if request["type"] == "http" and not request["state"]["access"].holds(user):
            raise Forbidden(f"user: the key does not hold {user!r}")
        await app(request, receive, send)

    return Gate(held, keys=memory.keys, limits=Limits())
