"""Who may ask: the same machine only, through the page itself.

Invariant: a request with a Host that is not loopback, or a change without the token of this
process or with a foreign Origin, is refused before any page runs. Another site that the
same browser has open can therefore neither read nor change anything (DNS rebinding, forged
forms).
"""

from __future__ import annotations

import hmac
import logging
import secrets
from collections.abc import Mapping
from urllib.parse import parse_qsl, urlsplit

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from palimpsest.errors import InputError
from palimpsest.loopback import HOSTS, host_of

_LOG = logging.getLogger("palimpsest.web")
FORM_BYTES = 1 << 20
_SAFE = frozenset({"GET", "HEAD"})


class Guard:
    """Middleware: refuses strangers and puts the security headers on every answer."""

    def __init__(self, app: ASGIApp, *, policy: str) -> None:
        self._app = app
        self._headers = {
            "content-security-policy": policy,
            "x-content-type-options": "nosniff",
            "referrer-policy": "same-origin",
            "cross-origin-resource-policy": "same-origin",
            "cross-origin-opener-policy": "same-origin",
            "cache-control": "no-store",
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refusal = _refusal(Request(scope))
        started = False

        async def with_headers(message: Message) -> None:
            nonlocal started
            started = True
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(self._headers)
            await send(message)

        if refusal:
            await PlainTextResponse(refusal, 403)(scope, receive, with_headers)
            return
        try:
            await self._app(scope, receive, with_headers)
        except Exception as error:  # noqa: BLE001
            # The message of an error may quote a text of a user's: no log holds one.
            _LOG.error("%s in %s", type(error).__name__, scope["path"])
            if not started:
                answer = PlainTextResponse("An error of the program; its kind is in the log.", 500)
                await answer(scope, receive, with_headers)


def _refusal(request: Request) -> str:
    if host_of(request.headers.get("host", "")) not in HOSTS:
        return "This server answers 127.0.0.1 and localhost only."
    if request.method in _SAFE:
        return ""
    origin = request.headers.get("origin")
    if origin is not None and urlsplit(origin).netloc != request.headers["host"]:
        return "A form of another site was refused."
    return ""


class Token:
    """The secret of this process that every form carries."""

    def __init__(self) -> None:
        self.value = secrets.token_urlsafe(32)

    async def form(self, request: Request) -> Mapping[str, str]:
        """The fields of a form that this process made; raises InputError."""
        body = b""
        async for piece in request.stream():
            body += piece
            if len(body) > FORM_BYTES:
                raise InputError(f"the form is over {FORM_BYTES:,} bytes")
        try:
            fields = dict(parse_qsl(body.decode(), keep_blank_values=True, strict_parsing=True))
        except ValueError:
            raise InputError("the form cannot be read; load the page again") from None
        if not hmac.compare_digest(fields.pop("token", "").encode(), self.value.encode()):
            raise InputError("the form is not one of this process; load the page again")
        return fields
