"""``palimpsest serve``: the pages and the API of a store, on this machine until there are keys."""

from __future__ import annotations

import gc
import logging
import socket
import sys
from pathlib import Path
from typing import Any

import click

from palimpsest.cli.serve_upstream import counting, proxied, settings, upstream_options
from palimpsest.cli.store_options import default_path, opened, store_only
from palimpsest.engine import Memory
from palimpsest.errors import InputError, NotPrepared
from palimpsest.loopback import is_here

HOST, BACKLOG = "127.0.0.1", 128
INSTALL = "pip install 'palimpsest-memory[web]'"
_SWITCH_SECONDS = 0.0005
_LAST_SECONDS = 5
"""How long an answer that is being streamed may go on after Ctrl-C."""


@click.command()
@click.option("--port", type=click.IntRange(0, 65535), default=8377, show_default=True)
@click.option(
    "--host",
    default=HOST,
    show_default=True,
    metavar="ADDRESS",
    help="Where to listen; another machine is answered only with keys.",
)
@click.option("--config", type=click.Path(path_type=Path), metavar="TOML", help="A settings file.")
@click.option(
    "--rate",
    type=click.FloatRange(0),
    default=100.0,
    show_default=True,
    help="Requests of one key in a second; 0 is no limit.",
)
@click.option(
    "--at-once",
    type=click.IntRange(0),
    default=100,
    show_default=True,
    help="Requests of one key that are answered at once; 0 is no limit.",
)
@click.option(
    "--body",
    type=click.IntRange(1),
    default=8 << 20,
    show_default=True,
    metavar="BYTES",
    help="The most that one request may send; an import takes 128 times that.",
)
@click.option(
    "--log", is_flag=True, help="Print a line a request, without texts, to standard error."
)
@click.option(
    "--language", metavar="TAG", help="A catalogue of the pages; else by LANGUAGE or LANG."
)
@upstream_options
@store_only
def serve(port: int, host: str, config: Path | None, rate: float, at_once: int, body: int,
          log: bool, language: str | None, store: Path, upstream: str | None,
          tokenizer: str | None, **chosen: Any) -> None:  # fmt: skip
    """Serve the pages of the store and its HTTP API, until Ctrl-C.

    The API is under /api/v1 and described at /api/v1/openapi.json. With --upstream, /v1 is a
    model with a memory for any client of the OpenAI API. Without keys ('palimpsest keys add')
    this machine alone is answered.
    """
    try:
        import uvicorn

        from palimpsest.web.limits import Limits
        from palimpsest.web.serving import application
        from palimpsest.web.wording import LOCALE, spoken
    except ImportError as error:
        package = str(error.name).partition(".")[0]
        raise NotPrepared(f"the server needs {package!r}: {INSTALL}") from None
    words = spoken((LOCALE, default_path().parent / "locale"), language)
    limits = Limits(rate=rate, at_once=at_once, body=body, upload=body * 128)
    if log:
        _log()
    chose = settings(config)
    with (
        opened(store, make=True, config=chose, reflect="background",
               tokenizer=counting(upstream, tokenizer, chose)) as memory,
        proxied(memory, upstream, tokenizer=tokenizer, **chosen) as proxy,
        bound(_checked(host, memory), port) as listening,
    ):  # fmt: skip
        routes, lifespan = (proxy.routes, proxy.lifespan) if proxy else ([], None)
        logging.getLogger("uvicorn.error").addFilter(_Broken())
        # What reads turns in the background must not hold up each byte of an answer for 5 ms.
        sys.setswitchinterval(_SWITCH_SECONDS)
        # What was loaded so far stays to the end: no collection has to look at it again.
        gc.freeze()
        app = application(memory, limits=limits, routes=routes, lifespan=lifespan, words=words)
        click.echo(f"{_address(host, listening)} shows {store}; Ctrl-C ends it")
        if upstream is not None:
            click.echo(f"{_address(host, listening)}v1 is the base URL, in front of {upstream}")
        uvicorn.Server(uvicorn.Config(app, **_SETTINGS)).run(sockets=[listening])


_SETTINGS: dict[str, Any] = {
    "log_level": "warning", "access_log": False, "server_header": False,
    # Longer than clients keep a connection (5 s, often): one that is used at that very moment
    # would be reset.
    "timeout_keep_alive": 75,
    # Who asks is the peer of the connection, whatever a header says.
    "proxy_headers": False, "timeout_graceful_shutdown": _LAST_SECONDS, "ws": "none",
}  # fmt: skip


class _Broken(logging.Filter):
    """Leaves out what uvicorn says of an answer that its upstream, or Ctrl-C, broke off."""

    def filter(self, record: logging.LogRecord) -> bool:
        """False for a line that says no more."""
        said = str(record.msg)
        return not said.startswith(("ASGI callable returned without", "Cancel %s running"))


def _checked(host: str, memory: Memory) -> str:
    """The address to listen on; raises InputError for one of others without a key."""
    if is_here(host) or memory.keys.usable:
        return host
    raise InputError(
        f"--host {host}: other machines are answered only with a key, and there is none; make one "
        "with 'palimpsest keys add NAME --user USER'"
    )


def _address(host: str, listening: socket.socket) -> str:
    named = f"[{host}]" if ":" in host else host
    return f"http://{named}:{listening.getsockname()[1]}/"


def _log() -> None:
    """Our own lines alone: those of other packages may hold an address with a text in it."""
    ours = logging.getLogger("palimpsest.web")
    ours.setLevel(logging.INFO)
    ours.propagate = False
    to = logging.StreamHandler()
    to.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    ours.addHandler(to)


def bound(host: str, port: int) -> socket.socket:
    """A listening socket; raises InputError where the address or the port is not to be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Named, or asyncio lets small pieces of a stream wait 40 ms for an acknowledgement.
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((host, port))
        # Listening, not only bound: a second server on the same port is refused here.
        made.listen(BACKLOG)
    except OSError as error:
        made.close()
        what = f"--port {port}" if host == HOST else f"--host {host} --port {port}"
        raise InputError(
            f"{what}: cannot be listened on ({error.strerror}); name another, "
            "or 0 for any that is free"
        ) from None
    return made
