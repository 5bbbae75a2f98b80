"""Opens what a chat needs, and offers to fetch it where a person can say yes.

Invariant: nothing is fetched unless a person agreed to it just now; without one the error
that names the command stands.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack

from palimpsest.cli.chat_input import Lines
from palimpsest.cli.chat_screen import Screen
from palimpsest.cli.tokenizer import bars
from palimpsest.engine import Memory
from palimpsest.errors import NotPrepared
from palimpsest.language.invisible import shown
from palimpsest.models import weights
from palimpsest.models.resolve import open_model, spec_of
from palimpsest.protocols import ChatModel, Counter
from palimpsest.tokens import manifest
from palimpsest.tokens import prepare as tokenizers
from palimpsest.tokens.progress import Progress


def model(
    stack: ExitStack,
    name: str,
    *,
    base_url: str,
    timeout: float,
    lines: Lines | None,
    screen: Screen,
) -> ChatModel:
    """The model, open until the stack ends; raises ModelError, SpecError or NotPrepared."""

    def opened() -> ChatModel:
        # Nobody records a chat, so a model need not be pinned for it; a pin that is given holds.
        return stack.enter_context(
            open_model(name, unpinned=True, base_url=base_url, timeout=timeout)
        )

    try:
        return opened()
    except NotPrepared as error:
        if spec_of(name).name != weights.NAME:
            raise
        _offer(error, "93 MB", lambda report: weights.prepare(progress=report), lines, screen)
    return opened()


def counter(memory: Memory, name: str, *, lines: Lines | None, screen: Screen) -> Counter:
    """Load the tokenizer now, so that a missing one is no surprise later; raises NotPrepared."""
    try:
        return memory.counter
    except NotPrepared as error:
        if name not in manifest.entries():
            raise
        _offer(
            error, "some 240 MB", lambda report: tokenizers.prepare(name, progress=report),
            lines, screen,
        )  # fmt: skip
        return memory.counter


def _offer(
    error: NotPrepared, size: str, fetch: Callable[[Progress], object], lines: Lines | None,
    screen: Screen,
) -> None:  # fmt: skip
    """Fetch it where a person says so; else raise the error again."""
    if lines is None:
        raise error
    screen.note(shown(str(error)))
    if not lines.agreed(f"fetch it now ({size})? [y/N] "):
        raise error
    with bars() as report:
        fetch(report)
