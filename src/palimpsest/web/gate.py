"""In front of every route: who asks, how much, and what an error looks like outside.

Middleware. Behind it ``request.state`` has ``access`` (an ``Access``) and ``request_id``.
Invariant: nothing behind it runs for a request that was refused; no exception passes it; and
neither a log line nor the answer to an error of the program holds a text of a user's.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import logging
import secrets
import time
from collections.abc import Callable

import anyio
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from palimpsest.errors import Forbidden, InputError, PalimpsestError, Unauthorized
from palimpsest.loopback import HOSTS, host_of, is_loopback
from palimpsest.store.keys import Key, Keys
from palimpsest.web.access import Access
from palimpsest.web.faults import answer_of, said
from palimpsest.web.limits import Allowance, AtOnce, Limits, Size

LOG = logging.getLogger("palimpsest.web")
NOBODY = Access(users=frozenset())
"""What a request to an open path holds."""
_FORWARDED = ("forwarded", "x-forwarded-for", "x-real-ip")
BODY_SECONDS = 30.0
"""How long a body may stand still before it is given up."""
_BURST = 2.0
_TRIES = 20.0
_DIGESTS = 2
"""Slow digests at one time; each takes 16 MB and a core."""
_WRONG = "wrong keys from this address"
Told = Callable[[Request, int, float], None]
"""Is told of every answer: the request, its status, and seconds."""


class Gate:
    """Authenticates, limits, and turns what goes wrong into the one shape of an error."""

    def __init__(
        self, app: ASGIApp, *, keys: Keys, limits: Limits, open_paths: frozenset[str] = frozenset(),
        uploads: frozenset[str] = frozenset(), page: Callable[[str], bool] = lambda path: False,
        told: Told = lambda request, status, seconds: None,
    ) -> None:  # fmt: skip
        self._app, self._keys, self._limits = app, keys, limits
        self._open, self._uploads, self._page, self._told = open_paths, uploads, page, told
        self._rate = Allowance(limits.rate, limits.rate * _BURST)
        self._tries = Allowance(limits.failures, _TRIES)
        self._at_once = AtOnce(limits.at_once)
        self._digesting = asyncio.Semaphore(_DIGESTS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse."""
        if scope["type"] == "http":
            await self._answered(scope, receive, send)
        elif scope["type"] == "websocket":
            await WebSocketClose()(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _answered(self, scope: Scope, receive: Receive, send: Send) -> None:
        request, begun, status = Request(scope), time.perf_counter(), 0
        id = request.state.request_id = secrets.token_hex(8)

        async def marked(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers["x-request-id"] = id
                headers.setdefault("cache-control", "no-store")
                headers.setdefault("x-content-type-options", "nosniff")
            await send(message)

        try:
            await self._passed(request, receive, marked)
        except ClientDisconnect:
            LOG.info("%s left before the end", id)
        except asyncio.CancelledError:
            # The server ends; nothing is above this but its own list of what still runs.
            LOG.info("%s was ended with the server", id)
            if not status:
                await said("error", "the server is stopping; ask again", 503)(
                    scope, receive, marked
                )
        except Exception as error:  # noqa: BLE001
            # The message of an error may quote a text of a user's: no log holds one.
            known = isinstance(error, PalimpsestError)
            LOG.log(logging.INFO if known else logging.ERROR, "%s: %s", id, type(error).__name__)
            if not status:
                held = getattr(request.state, "access", NOBODY)
                basic = self._page(scope["path"])
                await answer_of(error, owner=held.owner, basic=basic)(scope, receive, marked)
        seconds = time.perf_counter() - begun
        self._told(request, status, seconds)
        route = getattr(scope.get("route"), "path", "-")
        key = getattr(request.state, "access", NOBODY).key
        LOG.info(
            "%s: %s %s %d in %.1f ms, key %r",
            id, _word(request.method), route, status, seconds * 1000, key,
        )  # fmt: skip

    async def _passed(self, request: Request, receive: Receive, send: Send) -> None:
        path = request.scope["path"]
        uploads = path in self._uploads
        size = Size(self._limits.upload if uploads else self._limits.body)
        size.announced(request.headers.get("content-length"))
        if path in self._open:
            request.state.access = NOBODY
            await self._app(request.scope, _counted(receive, size), send)
            return
        access = await self._admitted(request)
        request.state.access = access
        if access.key:
            self._rate.take(access.key, "requests of this key")
        with self._at_once.one(access.key):
            await self._app(request.scope, _counted(receive, size), send)

    async def _admitted(self, request: Request) -> Access:
        """What the request holds; raises Unauthorized, Forbidden and TooMany."""
        if not await run_in_threadpool(lambda: self._keys.asked_for):
            _check_local(request)
            return Access()
        secret = _sent(request)
        if not secret:
            raise Unauthorized("send a key: Authorization: Bearer KEY ('palimpsest keys add')")
        if self._keys.seen(secret):
            key = await run_in_threadpool(self._keys.verified, secret)
        else:
            key = await self._slowly(secret, request.client.host if request.client else "")
        if key is None:
            raise Unauthorized("the key is not known, or was revoked")
        return access_of_key(key)

    async def _slowly(self, secret: str, peer: str) -> Key | None:
        """Verify a key by its slow digest: guessing costs the guesser more than this server."""
        self._tries.check(peer, _WRONG)
        async with self._digesting:
            key = await run_in_threadpool(self._keys.verified, secret)
        if key is None:
            self._tries.take(peer, _WRONG)
        return key


def access_of_key(key: Key) -> Access:
    """What a key of the store holds."""
    users = None if key.users is None else frozenset(key.users)
    return Access(key=key.name, users=users, tenant=key.tenant)


def _counted(receive: Receive, size: Size) -> Receive:
    """The body within its limits of size and of time; what comes behind it is waited for."""
    ended = False

    async def counted() -> Message:
        nonlocal ended
        if ended:
            return await receive()
        try:
            with anyio.fail_after(BODY_SECONDS):
                message = await receive()
        except TimeoutError:
            raise InputError(
                f"the body stopped coming for {BODY_SECONDS:g} seconds before it was whole"
            ) from None
        ended = message["type"] != "http.request" or not message.get("more_body", False)
        if message["type"] == "http.request":
            size.add(len(message.get("body", b"")))
        return message

    return counted


def _word(method: str) -> str:
    return method if method.isascii() and method.isalpha() and len(method) < 10 else "-"


def _sent(request: Request) -> str:
    """The key of a request: as a bearer's, or as the password that a browser asked for."""
    kind, _, rest = request.headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer":
        return rest.strip()
    if kind.lower() == "basic":
        try:
            text = base64.b64decode(rest.strip(), validate=True).decode("ascii")
        except (binascii.Error, ValueError):
            return ""
        return text.partition(":")[2]
    return ""


def _check_local(request: Request) -> None:
    """Without keys only a program of this machine is answered; raises Forbidden."""
    client = request.client.host if request.client else ""
    if not is_loopback(client) or any(name in request.headers for name in _FORWARDED):
        raise Forbidden(
            "without keys this machine alone is answered, and no proxy; make a key with "
            "'palimpsest keys add NAME --user USER' and send it: Authorization: Bearer KEY"
        )
    host = request.headers.get("host", "")
    if host_of(host) not in HOSTS:
        raise Forbidden("Host: without keys 127.0.0.1 and localhost are answered only")
    # What a browser says of itself: another site that it has open is not this machine.
    origin = request.headers.get("origin")
    if origin is not None and origin.partition("://")[2] != host:
        raise Forbidden("Origin: a page of another site is not answered")
