"""A model server on the loopback that speaks both chat APIs, and misbehaves when told to."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

Fault = Literal[
    "html", "drop", "half", "text", "list", "error", "limit", "slow", "no-message", "nothing"
]  # fmt: skip
DIGEST = "b37049369adf" + "0" * 52


@dataclass
class ModelServer:
    """What it answers, what it was asked, and from which call on it misbehaves."""

    answers: list[str] = field(default_factory=lambda: ["An answer."])
    """Given in turn, and again from the beginning."""
    fault: Fault | None = None
    fails_at: int | None = None
    """The number of the chat call, from 0, that meets the fault; ``None`` with a fault: all."""
    digest: str = DIGEST
    pause: float = 0.0
    """Seconds between two pieces of a streamed answer."""
    ends: bool = True
    """False for a stream that breaks off in the middle."""
    refuses: str = ""
    """A call whose body has this field is refused with ``status``, in the words of ``refusal``."""
    refusal: str = ""
    status: int = 400
    tool_calls: list[dict[str, Any]] = field(default_factory=list)
    asked: list[dict[str, Any]] = field(default_factory=list)
    """The bodies of the chat calls."""
    headers: list[dict[str, str]] = field(default_factory=list)
    url: str = ""

    def misbehaves(self, call: int) -> bool:
        return self.fault is not None and self.fails_at in (None, call)


@contextmanager
def serve(server: ModelServer) -> Iterator[ModelServer]:
    """Serve until the block ends."""
    listening = ThreadingHTTPServer(("127.0.0.1", 0), _handler(server))
    server.url = f"http://127.0.0.1:{listening.server_port}"
    thread = threading.Thread(target=listening.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        listening.shutdown()
        listening.server_close()
        thread.join()


def _handler(server: ModelServer) -> type[BaseHTTPRequestHandler]:
    return type("Handler", (_Handler,), {"state": server})


class _Handler(BaseHTTPRequestHandler):
    state: ModelServer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        if self.path == "/api/version":
            self._json({"version": "0.99.0"})
        elif self.path == "/api/tags":
            details = {"parameter_size": "2B", "quantization_level": "Q4_K_M"}
            model = {"name": "toy:2b", "digest": self.state.digest, "details": details}
            self._json({"models": [model]})
        else:
            self._json({"error": "not found"}, status=404)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        call = len(self.state.asked)
        self.state.asked.append(body)
        self.state.headers.append(dict(self.headers))
        if self.state.refuses in body:
            self._json({"error": {"message": self.state.refusal}}, status=self.state.status)
        elif self.state.misbehaves(call):
            self._misbehave()
        elif body.get("stream"):
            self._stream(call)
        elif self.path == "/api/chat":
            self._json(_ollama(self.state, call))
        else:
            self._json(_openai(self.state, call))

    def log_message(self, format: str, *args: object) -> None:
        pass

    def _misbehave(self) -> None:
        fault = self.state.fault
        if fault == "drop":
            self.close_connection = True
        elif fault == "slow":
            time.sleep(1.5)
            self.close_connection = True
        elif fault == "half":
            self._send(b'{"message": {"cont', length=4096)
            self.close_connection = True
        elif fault == "error":
            self._json({"error": {"message": "the model is not loaded"}}, status=500)
        elif fault == "limit":
            self._json({"error": {"message": "Error generating summary: try later"}}, status=429)
        elif fault == "html":
            self._send(b"<html><body>Welcome</body></html>", kind="text/html")
        elif fault == "nothing":
            self._send(b"")
        else:
            data: Any = {"text": "soon", "list": [1], "no-message": {"ok": True}}[str(fault)]
            self._json(data)

    def _stream(self, call: int) -> None:
        """One piece a word, in the shape of the API that was asked."""
        words = re.findall(r"\S+\s*", self.state.answers[call % len(self.state.answers)])
        events = self.path != "/api/chat"
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream" if events else "application/x-ndjson")
        self.send_header("Connection", "close")
        self.end_headers()
        said = words if self.state.ends else words[: len(words) // 2]
        pieces = [_event(word) if events else _line(word) for word in said]
        if self.state.ends:
            pieces.append("data: [DONE]\n\n" if events else _line("", done=True))
        with suppress(ConnectionError):
            for piece in pieces:
                self.wfile.write(piece.encode())
                self.wfile.flush()
                time.sleep(self.state.pause)
        self.close_connection = True

    def _json(self, data: Any, status: int = 200) -> None:
        self._send(json.dumps(data).encode(), status=status)

    def _send(
        self, data: bytes, *, status: int = 200, kind: str = "application/json",
        length: int | None = None,
    ) -> None:  # fmt: skip
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data) if length is None else length))
        self.end_headers()
        with suppress(ConnectionError):
            self.wfile.write(data)


def _answer(server: ModelServer, call: int) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant"}
    message["content"] = server.answers[call % len(server.answers)]
    if server.tool_calls:
        message["tool_calls"] = server.tool_calls
    return message


def _ollama(server: ModelServer, call: int) -> dict[str, Any]:
    return {
        "model": "toy:2b", "message": _answer(server, call), "done": True, "done_reason": "stop",
        "prompt_eval_count": 31, "eval_count": 7,
    }  # fmt: skip


def _openai(server: ModelServer, call: int) -> dict[str, Any]:
    choice = {"index": 0, "message": _answer(server, call), "finish_reason": "length"}
    usage = {"prompt_tokens": 31, "completion_tokens": 7, "total_tokens": 38}
    return {"id": "c-1", "object": "chat.completion", "created": 0, "model": "toy",
            "choices": [choice], "usage": usage}  # fmt: skip


def _event(word: str) -> str:
    data = {"choices": [{"index": 0, "delta": {"content": word}, "finish_reason": None}]}
    return f"data: {json.dumps(data)}\n\n"


def _line(word: str, *, done: bool = False) -> str:
    data = {"message": {"role": "assistant", "content": word}, "done": done}
    return json.dumps(data) + "\n"
