"""``palimpsest serve``: the pages of a store, on this machine alone."""

from __future__ import annotations

import socket
from pathlib import Path

import click

from palimpsest.cli.store_options import opened, store_only
from palimpsest.errors import InputError, NotPrepared

HOST, BACKLOG = "127.0.0.1", 128
INSTALL = "pip install 'palimpsest-memory[web]'"


@click.command()
@click.option("--port", type=click.IntRange(0, 65535), default=8377, show_default=True)
@store_only
def serve(port: int, store: Path) -> None:
    """Show the pages of the store at 127.0.0.1, until Ctrl-C.

    They answer this machine only: there are no keys yet.
    """
    try:
        import uvicorn

        from palimpsest.web.live.app import application
    except ImportError as error:
        package = str(error.name).partition(".")[0]
        raise NotPrepared(f"the pages need {package!r}: {INSTALL}") from None
    with opened(store, make=True) as memory, bound(port) as listening:
        config = uvicorn.Config(
            application(memory), log_level="warning", access_log=False, server_header=False
        )
        click.echo(f"http://{HOST}:{listening.getsockname()[1]}/ shows {store}; Ctrl-C ends it")
        uvicorn.Server(config).run(sockets=[listening])


def bound(port: int) -> socket.socket:
    """A socket of this machine alone; raises InputError where the port is not to be had."""
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((HOST, port))
        # Listening, not only bound: a second server on the same port is refused here.
        made.listen(BACKLOG)
    except OSError as error:
        made.close()
        raise InputError(
            f"--port {port}: cannot be listened on ({error.strerror}); name another, "
            "or 0 for any that is free"
        ) from None
    return made
