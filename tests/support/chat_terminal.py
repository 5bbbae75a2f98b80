"""``palimpsest chat`` in a real pseudo-terminal, with a model server on the loopback."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pexpect

from tests.support.model_server import ModelServer

_READY = r"\x1b\[\?2004h[^\n]*?you>"
"""The terminal is told that pastes are marked, and the prompt is drawn: keys are safe now."""
_ESCAPES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[=>]|\x1b\][^\x07]*\x07")
_SECONDS = 60


class Chat:
    """A person at a terminal; what came on the screen is read without its escapes."""

    def __init__(self, child: pexpect.spawn) -> None:
        self.child = child

    def say(self, text: str) -> str:
        """Write a line, and what stands on the screen until the next prompt."""
        self.write(text)
        return self.until_prompt()

    def write(self, text: str) -> None:
        """Type a text and Enter."""
        self.child.send(text + "\r")

    def paste(self, text: str) -> None:
        """What a terminal sends for a paste; without Enter."""
        self.child.send(f"\x1b[200~{text}\x1b[201~")

    def until(self, text: str) -> str:
        """Read until a text comes; gives what came before it, with it."""
        self.child.expect_exact(text)
        return plain(self.child.before + text)

    def until_prompt(self) -> str:
        """Read until the chat waits for a line."""
        self.child.expect(_READY)
        return plain(self.child.before)

    def leave(self) -> int:
        """Ctrl-D, and the exit status."""
        self.child.send("\x04")
        return self.ended()

    def ended(self) -> int:
        """The exit status of a chat that is ending."""
        self.child.expect(pexpect.EOF)
        self.child.close()
        return int(self.child.exitstatus if self.child.exitstatus is not None else -1)


def plain(text: str) -> str:
    """A terminal's output without escapes, its line ends as newlines."""
    return _ESCAPES.sub("", text).replace("\r\n", "\n").replace("\r", "")


def command(
    store: Path, server: ModelServer, *more: str, tokenizer: str = "smollm2-135m"
) -> list[str]:
    """The command line of a chat with the loopback's model."""
    return [
        "-m", "palimpsest.cli", "chat", "--store", str(store), "--model", "openai:toy",
        "--base-url", server.url, "--tokenizer", tokenizer, *more,
    ]  # fmt: skip


def environment(**more: str) -> dict[str, str]:
    """Of a person who set nothing."""
    # COLUMNS and LINES, which a runner of tests may set, would outweigh the terminal's own size.
    left = ("NO_COLOR", "PALIMPSEST_STORE", "COLUMNS", "LINES")
    kept = {k: v for k, v in os.environ.items() if k not in left}
    return kept | {"TERM": "xterm", "LANG": "C.UTF-8"} | more


@contextmanager
def chat(
    arguments: list[str], *, columns: int = 200, env: Mapping[str, str] | None = None
) -> Iterator[Chat]:
    """Start a chat and wait for its first prompt; it is ended with the block."""
    child = pexpect.spawn(
        sys.executable, arguments, dimensions=(40, columns), encoding="utf-8", timeout=_SECONDS,
        env=dict(env or environment()),
    )  # fmt: skip
    child.delaybeforesend = None
    found = Chat(child)
    try:
        yield found
    finally:
        child.close(force=True)
