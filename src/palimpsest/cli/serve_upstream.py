"""The options of ``palimpsest serve`` that put a model behind ``/v1``, and what opens it.

Invariant: without ``--upstream`` there is no proxy and its other options are refused; a key is
read from the environment and stands in no command line.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from palimpsest.asking import strategy as strategy_of
from palimpsest.config import Config, load
from palimpsest.engine import Memory
from palimpsest.errors import InputError
from palimpsest.models.api import ANSWER_SECONDS
from palimpsest.models.local import LocalModel
from palimpsest.models.resolve import open_model, own_tokenizer
from palimpsest.models.weights import NAME
from palimpsest.types import Budget

if TYPE_CHECKING:
    from palimpsest.web.proxy.routes import Proxy

_SMALL = Budget(window=2048, answer=256)
_LARGE = Budget(window=8192, answer=1024)
_STRATEGY = "seats"
_CHOICES = ("upstream_key_env", "model", "strategy", "window", "answer", "tokenizer", "timeout")


def upstream_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--upstream`` and what belongs to it."""
    for option in reversed((
        click.option("--upstream", metavar="URL",
                     help="Serve /v1 in front of this OpenAI-compatible server, such as "
                     "http://127.0.0.1:11434/v1; or smollm2, or gguf:PATH, in this process."),
        click.option("--upstream-key-env", metavar="NAME",
                     help="The environment variable with the key of that server."),
        click.option("--model", metavar="NAME", help="Asked where a client names no model."),
        click.option("--strategy", metavar="SPEC",
                     help=f"What chooses the context. Default: {_STRATEGY}."),
        click.option("--window", type=int, metavar="TOKENS",
                     help="Request and answer together. Default: of the settings, else 8192; "
                     "2048 in this process."),
        click.option("--answer", type=int, metavar="TOKENS",
                     help="Kept for the answer where a client sets no max_tokens. Default: of the "
                     "settings, else 1024; 256 in this process."),
        click.option("--tokenizer", metavar="NAME",
                     help="What counts. Default: that of the model, else of the settings."),
        click.option("--timeout", type=click.FloatRange(min=1), metavar="SECONDS",
                     help=f"The longest silence of that server. Default: {ANSWER_SECONDS:g}."),
    )):  # fmt: skip
        command = option(command)
    return command


def counting(upstream: str | None, tokenizer: str | None) -> str | None:
    """The tokenizer of the store: as named, or that of a model in this process."""
    if tokenizer is not None or upstream is None or not is_local(upstream):
        return tokenizer
    return own_tokenizer(upstream)


def is_local(upstream: str) -> bool:
    """True for a model that answers in this process."""
    return upstream == NAME or upstream.startswith("gguf:")


def settings(path: Path | None) -> Config:
    """The settings of a file, or the defaults."""
    return load(path) if path is not None else Config()


@contextmanager
def proxied(memory: Memory, upstream: str | None, **chosen: Any) -> Iterator[Proxy | None]:
    """The proxy in front of an upstream, or ``None``; closes a model of this process."""
    if upstream is None:
        for name in _CHOICES:
            if chosen.get(name) is not None:
                option = name.replace("_", "-")
                raise InputError(f"--{option}: belongs to --upstream; name the server with it")
        yield None
        return
    from palimpsest.web.proxy.routes import Proxy
    from palimpsest.web.proxy.upstream import upstream as reached

    budget = _budget(memory.config, upstream, chosen["window"], chosen["answer"])
    strategy = strategy_of(chosen["strategy"] or _STRATEGY)
    # A tokenizer that is missing is told before anybody chats without a memory.
    _ = memory.counter
    with _served(upstream, budget) as base:
        to = reached(
            base, key=_key(chosen["upstream_key_env"]), model=chosen["model"] or "",
            answer_seconds=chosen["timeout"] or ANSWER_SECONDS,
        )  # fmt: skip
        yield Proxy(memory, to, budget=budget, strategy=strategy)


@contextmanager
def _served(upstream: str, budget: Budget) -> Iterator[str]:
    """The base URL: as given, or that of a model that is started here."""
    if not is_local(upstream):
        yield upstream
        return
    with open_model(upstream, unpinned=True) as model:
        assert isinstance(model, LocalModel)
        yield f"{model.serve(budget.window).base}/v1"


def _budget(config: Config, upstream: str, window: int | None, answer: int | None) -> Budget:
    base = config.budget or (_SMALL if is_local(upstream) else _LARGE)
    return Budget(
        window=base.window if window is None else window,
        answer=base.answer if answer is None else answer, margin=base.margin,
    )  # fmt: skip


def _key(variable: str | None) -> str:
    if variable is None:
        return ""
    key = os.environ.get(variable, "").strip()
    if not key:
        raise InputError(f"--upstream-key-env {variable}: is not set; export {variable}=KEY first")
    return key
