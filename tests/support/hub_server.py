"""A hub on the loopback: serves the files of one revision as the real one does."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class HubServer:
    """What it serves, what it was asked, and how it misbehaves."""

    repo: str
    revision: str
    files: dict[str, bytes]
    url: str = ""
    break_after: dict[str, int] = field(default_factory=dict)
    """File to the bytes after which the connection is cut, once."""
    lie_about: set[str] = field(default_factory=set)
    """Files whose declared hash is another one's."""
    asked: list[tuple[str, str, str]] = field(default_factory=list)
    """Method, file and Range header of every request for a file."""

    def etag(self, file: str) -> str:
        data = b"other" if file in self.lie_about else self.files[file]
        return hashlib.sha256(data).hexdigest()


@contextmanager
def serve(hub: HubServer) -> Iterator[HubServer]:
    """Serve until the block ends."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(hub))
    hub.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _handler(hub: HubServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_HEAD(self) -> None:
            self._answer(body=False)

        def do_GET(self) -> None:
            self._answer(body=True)

        def log_message(self, format: str, *args: object) -> None:
            pass

        def _answer(self, *, body: bool) -> None:
            prefix = f"/{hub.repo}/resolve/{hub.revision}/"
            file = self.path.partition("?")[0].removeprefix(prefix)
            asked_range = self.headers.get("Range", "")
            hub.asked.append((self.command, file, asked_range))
            if not self.path.startswith(prefix) or file not in hub.files:
                self.send_response(404)
                self.send_header("X-Error-Code", "EntryNotFound")
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            data = hub.files[file]
            start = (
                int(asked_range.removeprefix("bytes=").partition("-")[0] or 0) if asked_range else 0
            )
            self.send_response(206 if start else 200)
            self.send_header("ETag", f'"{hub.etag(file)}"')
            self.send_header("X-Repo-Commit", hub.revision)
            self.send_header("Accept-Ranges", "bytes")
            self.send_header("Content-Length", str(len(data) - start))
            if start:
                self.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
            self.end_headers()
            if body:
                self._send(file, data[start:])

        def _send(self, file: str, data: bytes) -> None:
            limit = hub.break_after.pop(file, None)
            with suppress(ConnectionError):  # a client may leave in the middle
                self.wfile.write(data if limit is None else data[:limit])
            if limit is not None:
                self.close_connection = True

    return Handler
