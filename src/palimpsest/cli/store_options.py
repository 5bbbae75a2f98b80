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
from palimpsest.engine import Memory, Reflect
from palimpsest.errors import NotFound, ReadOnly
from palimpsest.recall.recallers import Indexing

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


def embedder_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--embedder`` and ``--config``: who embeds for recall by meaning."""
    for option in (
        click.option(
            "--config", type=click.Path(path_type=Path), metavar="TOML", help="A settings file."
        ),
        click.option(
            "--embedder", metavar="SPEC",
            help="What embeds, such as minilm. Default: that of the settings, which is none.",
        ),
    ):  # fmt: skip
        command = option(command)
    return command


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


def _make_room(store: Path) -> None:
    """Make the folder of a store, for its owner alone; raises ReadOnly."""
    try:
        store.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise ReadOnly(
            f"{str(store.parent)!r}: the folder of the store cannot be made ({error.strerror}); "
            "name another file with --store"
        ) from None


@contextmanager
def opened(
    store: Path, *, config: Path | Config | None = None, tokenizer: str | None = None,
    make: bool = False, embedder: str | None = None, indexing: Indexing = "background",
    reflect: Reflect = "by hand",
) -> Iterator[Memory]:  # fmt: skip
    """Open a store that exists (or make it); raises NotFound and StoreError."""
    settings = load(config) if isinstance(config, Path) else config or Config()
    if make:
        _make_room(store)
    elif not store.exists():
        raise NotFound(
            f"there is no store at {str(store)!r}; 'palimpsest observe' or 'palimpsest chat' "
            "makes one, and --store names another"
        )
    with Memory.open(
        store, config=settings, tokenizer=tokenizer, embedder=embedder, indexing=indexing,
        reflect=reflect,
    ) as memory:  # fmt: skip
        yield memory
