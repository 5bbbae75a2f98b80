"""Real MCP clients of the SDK, and servers started as a client's settings start them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

T = TypeVar("T")
Steps = Callable[["Session"], Awaitable[T]]
SCRIPT = str(Path(sys.executable).with_name("palimpsest"))


class Session:
    """A client with its calls in short."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def data(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """What a tool answers, as data; the text beside it says the same."""
        found = await self.client.call_tool(tool, arguments)
        told = json.loads(found.content[0].text)  # type: ignore[union-attr]
        assert told == found.structured_content, tool
        assert not found.is_error, told
        return dict(told)

    async def error(self, tool: str, **arguments: Any) -> tuple[str, str]:
        """The code and the message of a tool that refuses."""
        found = await self.client.call_tool(tool, arguments)
        assert found.is_error, found.structured_content
        told = found.structured_content["error"]
        return told["code"], told["message"]


def command(store: Path, *more: str, user: str = "ada") -> list[str]:
    """How a client's settings start the server."""
    return [SCRIPT, "mcp", "--store", str(store), "--user", user, *more]


def over(server: Any, steps: Steps[T], *, mode: str = "auto") -> T:
    """Connect to a server, an address or a transport, do the steps and go."""

    async def main() -> T:
        async with Client(server, mode=mode) as client:
            return await steps(Session(client))

    return anyio.run(main)


def over_stdio(
    store: Path, steps: Steps[T], *more: str, user: str = "ada", log: Path | None = None,
    mode: str = "auto", words: list[str] | None = None,
) -> T:  # fmt: skip
    """Start the command as a subprocess, do the steps, and let the client end it."""
    first, *rest = words or command(store, *more, user=user)
    parameters = StdioServerParameters(command=first, args=rest, env=dict(os.environ))
    with open(log or os.devnull, "w", encoding="utf-8") as errors:
        return over(stdio_client(parameters, errlog=errors), steps, mode=mode)


class Raw:
    """A server whose pipes a test holds itself."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.number = 0

    def send(self, line: bytes) -> None:
        """One line, as it is."""
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def ask(self, method: str, **params: Any) -> int:
        """A request; returns its id."""
        self.number += 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        self.send(json.dumps(message).encode())
        return self.number

    def call(self, tool: str, **arguments: Any) -> int:
        """A call of a tool; returns its id."""
        return self.ask("tools/call", name=tool, arguments=arguments)

    def line(self) -> dict[str, Any]:
        """The next line of standard output, which must be a message."""
        assert self.process.stdout is not None
        found = json.loads(self.process.stdout.readline())
        assert "2.0" == found["jsonrpc"]
        return dict(found)

    def begin(self) -> None:
        """The handshake."""
        self.ask(
            "initialize", protocolVersion="2025-11-25", capabilities={},
            clientInfo={"name": "test", "version": "1"},
        )  # fmt: skip
        assert "palimpsest" == self.line()["result"]["serverInfo"]["name"]
        self.send(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}')

    def interrupted(self) -> tuple[int, bytes, bytes]:
        """Ctrl-C, and how it ended."""
        self.process.send_signal(signal.SIGINT)
        return self.ended()

    def ended(self) -> tuple[int, bytes, bytes]:
        """How it ended: status, and the rest of output and errors."""
        out, errors = self.process.communicate(timeout=120)
        return self.process.returncode, out, errors


@contextmanager
def raw(store: Path, *more: str, user: str = "ada") -> Iterator[Raw]:
    """A server on pipes, killed at the end where it still runs."""
    made = subprocess.Popen(
        command(store, *more, user=user), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    try:
        yield Raw(made)
    finally:
        if made.poll() is None:
            made.kill()
        made.communicate()
