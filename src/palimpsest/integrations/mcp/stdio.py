"""The server on standard input and output: one client, one line a message.

Invariant: nothing but messages reaches the client, since descriptor 1 leads to standard error
while it runs. Nothing that waits for the client holds the process: both pipes belong to
threads that are left behind, so Ctrl-C and a client that is gone end it at once, between two
writes of the store.
"""

from __future__ import annotations

import asyncio
import json
import os
import queue
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Self

import anyio
import anyio.from_thread
import anyio.lowlevel
import mcp.types as protocol
from anyio.streams.memory import MemoryObjectReceiveStream
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

LONGEST = 4 << 20
"""Bytes of one message, as over HTTP."""
_PIECE = 1 << 16
_LAST_WORDS = 2.0
"""Seconds that what is still to be written has when the client closes its side."""
Item = SessionMessage | Exception


def serve(server: Server[Any]) -> None:
    """Answer one client until it closes its side; Ctrl-C raises KeyboardInterrupt."""
    with _private_pipes() as (source, target):
        anyio.run(_served, server, source, target)


@contextmanager
def _private_pipes() -> Iterator[tuple[int, int]]:
    """Both ends of the wire on descriptors of our own; a stray print goes to standard error."""
    sys.stdout.flush()
    source, target = os.dup(0), os.dup(1)
    os.dup2(2, 1)
    try:
        yield source, target
    finally:
        sys.stdout.flush()
        os.dup2(target, 1)


async def _served(server: Server[Any], source: int, target: int) -> None:
    out = _Out(target)
    try:
        async with _heard(source, out) as heard:
            await server.run(heard, _Said(out), server.create_initialization_options())
    except* (anyio.BrokenResourceError, anyio.ClosedResourceError):
        # What the SDK was handing on inside when it was ended.
        pass
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError
    out.close()


class _Said:
    """The stream that the server writes to: it never waits, so an end can always be told."""

    def __init__(self, out: _Out) -> None:
        self._out = out

    async def send(self, item: SessionMessage, /) -> None:
        """Write a message once those before it are written."""
        self._out.put(item.message)

    async def aclose(self) -> None:
        """Nothing is open."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *ended: object) -> None:
        return None


@asynccontextmanager
async def _heard(source: int, out: _Out) -> AsyncIterator[MemoryObjectReceiveStream[Item]]:
    """The messages of the client; a line that is none is answered where it came in."""
    send, receive = anyio.create_memory_object_stream[Item](0)
    token = anyio.lowlevel.current_token()

    def hand_on(item: Item) -> None:
        anyio.from_thread.run(send.send, item, token=token)

    def read() -> None:
        try:
            for line in _lines(source):
                _read_line(line, hand_on, out)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, RuntimeError):
            return  # The server has ended; nobody listens any more.
        _quietly(lambda: anyio.from_thread.run_sync(send.close, token=token))

    threading.Thread(target=read, name="mcp-stdin", daemon=True).start()
    async with receive:
        yield receive


def _quietly(work: Callable[[], object]) -> None:
    """Tell the event loop something, should it still run."""
    try:
        work()
    except RuntimeError:
        return


def _lines(source: int) -> Iterator[bytes | None]:
    """Whole lines, and ``None`` for each that is too long. It reads the descriptor itself: a
    buffer has a lock that a thread left behind would hold at the end of the process."""
    held, skipping = bytearray(), False
    while piece := _piece(source):
        *ended, rest = piece.split(b"\n")
        for part in ended:
            if skipping or len(held) + len(part) > LONGEST:
                yield None
            else:
                yield bytes(held + part)
            held.clear()
            skipping = False
        held += rest
        if len(held) > LONGEST:
            held.clear()
            skipping = True
    if held:
        yield bytes(held)


def _piece(source: int) -> bytes:
    try:
        return os.read(source, _PIECE)
    except OSError:
        return b""


def _read_line(line: bytes | None, hand_on: Callable[[Item], None], out: _Out) -> None:
    if line is None:
        out.put(_refusal(None, f"a message is over {LONGEST:,} bytes"))
        return
    if not line.strip():
        return
    try:
        message = protocol.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError:
        out.put(_refusal(_id_of(line), "the line is not a JSON-RPC message in UTF-8"))
        return
    if isinstance(message, protocol.JSONRPCNotification) and _has_id(line):
        # Read as a notification it would be answered by nobody, and its caller would wait.
        out.put(_refusal(None, "the id of a request is a text or a whole number"))
        return
    hand_on(SessionMessage(message))


def _has_id(line: bytes) -> bool:
    try:
        return "id" in json.loads(line)
    except (ValueError, RecursionError):
        return False


def _id_of(line: bytes) -> str | int | None:
    """The id of a message that is otherwise unusable, so that its caller need not wait."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    id = found.get("id") if isinstance(found, dict) else None
    return id if isinstance(id, int) and not isinstance(id, bool) else None


def _refusal(id: str | int | None, why: str) -> protocol.JSONRPCError:
    error = protocol.ErrorData(code=protocol.PARSE_ERROR, message=why)
    return protocol.JSONRPCError(jsonrpc="2.0", id=id, error=error)


class _Out:
    """Writes messages one after the other, in a thread that may be left behind."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._queue: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._write, name="mcp-stdout", daemon=True)
        self._thread.start()

    def put(self, message: protocol.JSONRPCMessage) -> None:
        """Write a message once those before it are written."""
        text = message.model_dump_json(by_alias=True, exclude_unset=True)
        self._queue.put(text.encode() + b"\n")

    def close(self) -> None:
        """Write what is left, for a client that still reads."""
        self._queue.put(None)
        self._thread.join(_LAST_WORDS)

    def _write(self) -> None:
        while (data := self._queue.get()) is not None:
            try:
                while data:
                    data = data[os.write(self._target, data) :]
            except OSError:
                return  # The client listens no more; its own end of standard input ends us.
