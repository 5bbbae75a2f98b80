"""JSON over HTTP with one model server: every failure is a ModelError that says what to do.

A server that cannot be reached, hangs up, takes too long, refuses, or answers anything but
a JSON object has given no answer. Invariant: what ``get`` and ``post`` return was sent whole,
with a success status, by a server that speaks JSON.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import httpx

from palimpsest.errors import ModelError
from palimpsest.loopback import is_here

CONNECT_SECONDS = 10.0
ANSWER_SECONDS = 600.0
"""How long one answer may take; a small model on a busy machine is slow."""
_SHOWN = 300


class Api:
    """One server at ``base``; ``title`` names it in errors."""

    def __init__(
        self,
        title: str,
        base: str,
        *,
        headers: Mapping[str, str] | None = None,
        timeout: float = ANSWER_SECONDS,
    ) -> None:
        self.title = title
        self.base = base.rstrip("/")
        url = self._checked()
        self._client = httpx.Client(
            headers=dict(headers or {}),
            timeout=httpx.Timeout(timeout, connect=CONNECT_SECONDS),
            # A proxy of the environment cannot reach a server of this machine.
            trust_env=not is_here(url.host),
        )

    def _checked(self) -> httpx.URL:
        try:
            url = httpx.URL(self.base)
        except httpx.InvalidURL as error:
            raise ModelError(f"{self.title}: {self.base!r} is not a URL ({error})") from None
        if url.scheme not in ("http", "https") or not url.host:
            raise ModelError(
                f"{self.title}: {self.base!r} is not a base URL such as http://127.0.0.1:11434"
            )
        return url

    def get(self, path: str) -> dict[str, Any]:
        """The JSON object at a path."""
        return self._asked("GET", path, None)

    def post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """The JSON object that answers a body."""
        return self._asked("POST", path, body)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    @contextmanager
    def streaming(self, path: str, body: Mapping[str, Any]) -> Iterator[httpx.Response]:
        """A response that is read while it comes; broken off, it is a ModelError too."""
        with (
            self._told_apart(path),
            self._client.stream("POST", self.base + path, json=body) as response,
        ):
            if response.is_error:
                response.read()
                self._read(path, response)
            yield response

    def _asked(self, method: str, path: str, body: Mapping[str, Any] | None) -> dict[str, Any]:
        with self._told_apart(path):
            response = self._client.request(method, self.base + path, json=body)
        return self._read(path, response)

    @contextmanager
    def _told_apart(self, path: str) -> Iterator[None]:
        """Every failure of the connection as a ModelError that says what to do."""
        try:
            yield
        except httpx.TimeoutException:
            raise ModelError(
                f"{self.title}: {self.base}{path} did not answer in time; wait until the server "
                "is idle, or allow more with --timeout"
            ) from None
        except httpx.ConnectError as error:
            raise ModelError(
                f"{self.title}: no server answers at {self.base} ({error}); start it, or name "
                "another with --base-url"
            ) from None
        except httpx.HTTPError as error:
            reason = str(error) or type(error).__name__
            raise ModelError(
                f"{self.title}: {self.base}{path} broke off its answer ({reason}); look at the "
                "server's log and run the command again"
            ) from None

    def _read(self, path: str, response: httpx.Response) -> dict[str, Any]:
        try:
            data = response.json()
        except ValueError:
            data = None
        if response.is_error:
            told = _told(data) or _shown(response)
            raise ModelError(
                f"{self.title}: {self.base}{path} refused with status {response.status_code}: "
                f"{told}",
                status=response.status_code,
                told=told,
            )
        if not isinstance(data, dict):
            raise ModelError(
                f"{self.title}: {self.base}{path} answered {_shown(response)} instead of a JSON "
                "object; check that the base URL is that of the model server"
            )
        return data


def _told(data: object) -> str:
    """The server's own words about a refusal, in the two usual shapes."""
    found = data.get("error") if isinstance(data, dict) else None
    if isinstance(found, dict):
        found = found.get("message")
    return found[:_SHOWN] if isinstance(found, str) else ""


def _shown(response: httpx.Response) -> str:
    text = response.text.strip()
    if not text:
        return "nothing"
    kind = response.headers.get("content-type", "").partition(";")[0]
    if kind == "text/html" or text[:1] == "<":
        return f"an HTML page ({text[:60]!r}...)"
    return f"{text[:80]!r}"
