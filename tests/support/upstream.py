"""A scripted model server of the OpenAI API, which keeps every byte that it was sent and sends."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Body = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Sent:
    """One answer: raw pieces, and what becomes of the connection after them."""

    pieces: tuple[bytes, ...]
    status: int = 200
    kind: str = "text/event-stream"
    breaks: bool = False
    """The connection ends without the end of the body."""
    hangs: float = 0.0
    """Seconds of silence before the end."""
    headers: tuple[tuple[str, str], ...] = ()

    @property
    def whole(self) -> bytes:
        return b"".join(self.pieces)


def streamed(text: str, *, calls: list[Any] | None = None, finish: str = "stop") -> Sent:
    """A streamed answer, a piece a word, as the OpenAI API sends it."""
    deltas: list[Body] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": word} for word in re.findall(r"\s*\S+\s*", text)]
    for place, call in enumerate(calls or []):
        given = call["function"]["arguments"]
        halves = given[: len(given) // 2], given[len(given) // 2 :]
        opening = {**call, "index": place, "function": {**call["function"], "arguments": halves[0]}}
        deltas.append({"tool_calls": [opening]})
        deltas.append({"tool_calls": [{"index": place, "function": {"arguments": halves[1]}}]})
    events = [event(delta) for delta in deltas]
    return Sent(pieces=(*events, event({}, finish), b"data: [DONE]\n\n"))


def event(delta: Body, finish: str | None = None, index: int = 0) -> bytes:
    """One server-sent event."""
    choice = {"index": index, "delta": delta, "finish_reason": finish}
    data = {"id": "c-1", "object": "chat.completion.chunk", "created": 1, "model": "toy",
            "choices": [choice]}  # fmt: skip
    return b"data: " + json.dumps(data, ensure_ascii=False).encode() + b"\n\n"


def whole(text: str | None, **more: Any) -> Sent:
    """An answer in one piece."""
    message = {"role": "assistant", "content": text, "refusal": None, **more}
    finish = "tool_calls" if more.get("tool_calls") else "stop"
    data = {
        "id": "c-1", "object": "chat.completion", "created": 1, "model": "toy",
        "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": None}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5},
    }  # fmt: skip
    return Sent(pieces=(json.dumps(data).encode(),), kind="application/json")


def said(text: str) -> Callable[[Body], Sent]:
    """Always the same words, streamed where that is asked."""
    return lambda body: streamed(text) if body.get("stream") else whole(text)


@dataclass
class Scripted:
    """What it answers by, and what it was asked."""

    answer: Callable[[Body], Sent] = field(default_factory=lambda: said("An answer."))
    asked: list[Body] = field(default_factory=list)
    raw: list[bytes] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    sent: list[Sent] = field(default_factory=list)
    left: threading.Event = field(default_factory=threading.Event)
    """Set when a client hung up before the end."""
    url: str = ""

    @property
    def messages(self) -> list[Body]:
        """Those of the newest call."""
        found: list[Body] = self.asked[-1]["messages"]
        return found


@contextmanager
def scripted(answer: Callable[[Body], Sent] | None = None) -> Iterator[Scripted]:
    """Serve until the block ends."""
    state = Scripted(**({"answer": answer} if answer else {}))
    kind = type("Handler", (_Handler,), {"state": state})
    listening = ThreadingHTTPServer(("127.0.0.1", 0), kind)
    listening.daemon_threads = True
    state.url = f"http://127.0.0.1:{listening.server_port}/v1"
    thread = threading.Thread(target=listening.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield state
    finally:
        listening.shutdown()
        listening.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    state: Scripted
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        listed = {"object": "list", "data": [{"id": "toy", "object": "model", "created": 1,
                                              "owned_by": "us"}]}  # fmt: skip
        data = json.dumps(listed).encode()
        self._send(Sent(pieces=(data,), kind="application/json"))

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        body = json.loads(raw)
        self.state.asked.append(body)
        self.state.raw.append(raw)
        self.state.headers.append({name.lower(): value for name, value in self.headers.items()})
        sent = self.state.answer(body)
        self.state.sent.append(sent)
        self._send(sent)

    def log_message(self, format: str, *args: object) -> None:
        pass

    def _send(self, sent: Sent) -> None:
        events = sent.kind == "text/event-stream"
        self.send_response(sent.status)
        self.send_header("Content-Type", sent.kind)
        for name, value in sent.headers:
            self.send_header(name, value)
        if events:
            self.send_header("Transfer-Encoding", "chunked")
        else:
            self.send_header("Content-Length", str(len(sent.whole) + (100 if sent.breaks else 0)))
        self.end_headers()
        with suppress(ConnectionError):
            for piece in sent.pieces:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece) if events else piece)
                self.wfile.flush()
            if sent.hangs:
                self._wait(sent.hangs)
            if events and not sent.breaks:
                self.wfile.write(b"0\r\n\r\n")
        if sent.breaks:
            self.close_connection = True

    def _wait(self, seconds: float) -> None:
        """Say nothing, until the client hangs up."""
        self.connection.settimeout(0.05)
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            try:
                if not self.connection.recv(1):
                    self.state.left.set()
                    break
            except TimeoutError:
                continue
            except OSError:
                self.state.left.set()
                break
        self.close_connection = True
