"""The options of every command that works on a person's own store.

Invariant: a command never makes a store that was only to be read; a path that holds none is
an error that names it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import platformdirs

from palimpsest.config import Config, load
from palimpsest.engine import Memory
from palimpsest.errors import NotFound

DEFAULT_USER = "me"
DEFAULT_CONVERSATION = "default"


def default_path() -> Path:
    """Where a person's memories are kept unless a command is told otherwise."""
    return Path(platformdirs.user_data_dir("palimpsest")) / "memory.db"


def store_only(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--store`` alone: for a command over all that a store holds."""
    return click.option(
        "--store", type=click.Path(path_type=Path, dir_okay=False), default=default_path,
        envvar="PALIMPSEST_STORE", metavar="FILE",
        help="The memory database; $PALIMPSEST_STORE, else the user's data directory.",
    )(command)  # fmt: skip


def store_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--store``, ``--user`` and ``--conversation``."""
    for option in (
        click.option(
            "--conversation", default=DEFAULT_CONVERSATION, show_default=True,
            help="Which conversation.",
        ),
        click.option("--user", default=DEFAULT_USER, show_default=True, help="Whose."),
        store_only,
    ):  # fmt: skip
        command = option(command)
    return command


@contextmanager
def opened(store: Path, *, config: Path | None = None, make: bool = False) -> Iterator[Memory]:
    """Open a store that exists (or make it); raises NotFound and StoreError."""
    settings = load(config) if config is not None else Config()
    if make:
        store.parent.mkdir(parents=True, exist_ok=True)
    elif not store.exists():
        raise NotFound(
            f"there is no store at {str(store)!r}; 'palimpsest observe' makes one, and --store "
            "names another"
        )
    with Memory.open(store, config=settings) as memory:
        yield memory
