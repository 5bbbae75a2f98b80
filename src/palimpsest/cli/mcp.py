"""``palimpsest mcp``: the memory as tools for any MCP client, over stdio or on this machine."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from palimpsest.cli.serve import HOST, bound
from palimpsest.cli.store_options import embedder_options, opened, store_options
from palimpsest.errors import InputError, NotPrepared
from palimpsest.types import Scope

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
    scope = Scope(user=user, conversation=conversation)
    with opened(store, make=True, config=config, embedder=embedder) as memory:
        server = application(memory, scope)
        if not http:
            if sys.stdin.isatty():
                click.echo("an MCP client starts this command; Ctrl-C ends it", err=True)
            stdio.serve(server)
            return
        with bound(8378 if port is None else port) as listening:
            address = f"http://{HOST}:{listening.getsockname()[1]}{over_http.PATH}"
            click.echo(f"{address} serves {user!r} of {store}; Ctrl-C ends it")
            over_http.serve(server, listening)
