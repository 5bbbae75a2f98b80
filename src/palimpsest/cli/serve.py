"""``palimpsest serve``: the pages of a store, on this machine alone."""

from __future__ import annotations

from pathlib import Path

import click

from palimpsest.cli.store_options import opened, store_only
from palimpsest.errors import NotPrepared

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
        raise NotPrepared(f"the pages need {error.name!r}: {INSTALL}") from None
    with opened(store, make=True) as memory:
        config = uvicorn.Config(
            application(memory), host="127.0.0.1", port=port, log_level="warning",
            access_log=False, server_header=False,
        )  # fmt: skip
        socket = config.bind_socket()
        click.echo(f"http://127.0.0.1:{socket.getsockname()[1]}/ shows {store}; Ctrl-C ends it")
        uvicorn.Server(config).run(sockets=[socket])
