"""The answer that passes by, put together from a copy of its bytes.

Server-sent events or one JSON object. Invariant: there is a reply only where the upstream said
all of it: a stream that breaks off, says an error or is no stream of events has none. Of
several choices the first is the reply.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from typing import Any, Protocol

MOST_BYTES = 32 << 20
"""An answer above it is passed on and not remembered."""
_ENCODINGS = {"": None, "identity": None, "gzip": 47, "deflate": 47}


class Reader(Protocol):
    """Reads the bytes of an answer as they come."""

    complete: bool

    def feed(self, data: bytes) -> None: ...

    def end(self) -> None: ...

    def reply(self) -> dict[str, Any] | None: ...


class Copy:
    """A copy of an answer, read piece by piece."""

    def __init__(self, headers: Mapping[str, str]) -> None:
        events = headers.get("content-type", "").startswith("text/event-stream")
        self._reader: Reader = _Events() if events else _Object()
        encoding = headers.get("content-encoding", "").strip().lower()
        self._readable = encoding in _ENCODINGS
        bits = _ENCODINGS.get(encoding)
        self._unpacked = zlib.decompressobj(bits) if bits else None
        length = headers.get("content-length", "")
        self._left = int(length) if length.isdigit() else None
        self._bytes = 0

    @property
    def complete(self) -> bool:
        """True once the reply is whole: no later byte changes it."""
        return self._readable and self._reader.complete

    def feed(self, data: bytes) -> None:
        """Take the next bytes as they came."""
        self._bytes += len(data)
        if not self._readable or self._bytes > MOST_BYTES:
            self._readable = False
            return
        try:
            self._reader.feed(self._unpacked.decompress(data) if self._unpacked else data)
        except (ValueError, RecursionError, zlib.error):
            self._readable = False
        if self._left is not None and self._bytes >= self._left:
            self.end()

    def end(self) -> None:
        """The upstream ended its answer in good order."""
        if self._readable:
            try:
                self._reader.end()
            except (ValueError, RecursionError):
                self._readable = False

    def reply(self) -> dict[str, Any] | None:
        """The message of the assistant; ``None`` where it is not whole."""
        return self._reader.reply() if self.complete else None


class _Object:
    """One JSON object."""

    def __init__(self) -> None:
        self.complete = False
        self._data = bytearray()
        self._message: Any = None

    def feed(self, data: bytes) -> None:
        self._data += data

    def end(self) -> None:
        found = json.loads(self._data)
        choice = _first(found)
        self._message = choice.get("message") if choice else None
        self.complete = isinstance(self._message, dict)

    def reply(self) -> dict[str, Any] | None:
        message = self._message
        return _reply(
            message.get("content"), message.get("refusal"), message.get("tool_calls"),
            function=message.get("function_call"),
        )  # fmt: skip


class _Events:
    """Server-sent events, each a piece of the answer."""

    def __init__(self) -> None:
        self.complete = False
        self._rest = b""
        self._data: list[str] = []
        self._ended = False
        self._texts: dict[str, str] = {}
        self._calls: dict[int, dict[str, Any]] = {}
        self._function: Any = None

    def feed(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).replace(b"\r\n", b"\n").split(b"\n")
        for line in lines:
            self._line(line.decode().removesuffix("\r"))

    def end(self) -> None:
        # A last event without an empty line behind it was not finished, but [DONE] is plain.
        self._line(self._rest.decode())
        self._line("")
        self.complete = self.complete or self._ended

    def reply(self) -> dict[str, Any] | None:
        calls = [self._calls[place] for place in sorted(self._calls)]
        content, refusal = self._texts.get("content"), self._texts.get("refusal")
        return _reply(content, refusal, calls or None, function=self._function)

    def _line(self, line: str) -> None:
        if not line:
            data, self._data = "\n".join(self._data), []
            if data:
                self._event(data)
        elif line.startswith("data:"):
            self._data.append(line[5:].removeprefix(" "))
        elif line[0] != ":" and line.partition(":")[0] not in ("event", "id", "retry"):
            raise ValueError("a line that is none of an event's")

    def _event(self, data: str) -> None:
        if data.strip() == "[DONE]":
            self.complete = self._ended or bool(self._texts) or bool(self._calls)
            return
        found = json.loads(data)
        if not isinstance(found, dict) or found.get("error") is not None:
            raise ValueError("an error in the stream")
        choice = _first(found)
        if choice is None:
            return
        delta = choice.get("delta")
        if isinstance(delta, dict):
            self._piece(delta)
        self._ended = self._ended or choice.get("finish_reason") is not None

    def _piece(self, delta: Mapping[str, Any]) -> None:
        for name in ("content", "refusal"):
            if isinstance(text := delta.get(name), str):
                self._texts[name] = self._texts.get(name, "") + text
        self._function = self._function or delta.get("function_call")
        calls = delta.get("tool_calls") or []
        if not isinstance(calls, list):
            raise ValueError("calls that are no list")
        for place, piece in enumerate(calls):
            self._call(piece, place)

    def _call(self, piece: Any, place: int) -> None:
        function = piece.get("function", {}) if isinstance(piece, dict) else None
        index = piece.get("index", place) if isinstance(piece, dict) else None
        if not isinstance(function, dict) or type(index) is not int:
            raise ValueError("a piece that is none of a call's")
        call = self._calls.setdefault(index, {"id": "", "type": "function", "function": {}})
        call["id"] = piece.get("id") or call["id"]
        call["type"] = piece.get("type") or call["type"]
        made = call["function"]
        made["name"] = made.get("name") or function.get("name") or ""
        made["arguments"] = made.get("arguments", "") + str(function.get("arguments") or "")


def _first(found: Any) -> dict[str, Any] | None:
    """The first choice, as the upstream numbers them."""
    choices = found.get("choices") if isinstance(found, dict) else None
    if not isinstance(choices, list):
        return None
    numbered = (c for c in choices if isinstance(c, dict) and c.get("index", 0) == 0)
    return next(numbered, None)


def _reply(content: Any, refusal: Any, calls: Any, *, function: Any) -> dict[str, Any] | None:
    if function:
        # An older shape, whose result no message of today can answer.
        return None
    words = content if content is not None else refusal
    found = {"role": "assistant", "content": words if words or calls else ""}
    return {**found, "tool_calls": calls} if calls else found
