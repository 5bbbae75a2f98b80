"""One application of everything that ``palimpsest serve`` answers: pages, API and more routes.

How routes are added: give ``application`` a list of Starlette routes with their whole paths,
below ``/v1`` for whatever speaks the OpenAI protocol. They stand behind the gate: an endpoint
finds ``access_of(request)`` (whom the request speaks for) and ``request.state.request_id``,
raises any PalimpsestError for an answer in the one shape, reads no more of a body than the
limits allow, and never sees a request without a key that reaches it. The gate passes what is
streamed on as it comes. ``request.app.state.meters.built(seconds, degraded)`` counts a request
that an endpoint built. What has to be closed at the end comes in as ``lifespan``.

Invariant: every path but those of the pages answers errors as JSON in the one shape.
"""

from __future__ import annotations

import gettext
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Receive, Scope, Send

from palimpsest.engine import Memory
from palimpsest.errors import Forbidden
from palimpsest.loopback import is_loopback
from palimpsest.web import health
from palimpsest.web.access import access_of
from palimpsest.web.api import routes as api
from palimpsest.web.api.table import UPLOADS
from palimpsest.web.faults import of_routing
from palimpsest.web.gate import Gate
from palimpsest.web.limits import Limits
from palimpsest.web.live.app import application as live_pages
from palimpsest.web.meters import Meters
from palimpsest.web.render import ENGLISH

_MACHINES = ("/api", "/v1", "/healthz", "/readyz", "/metrics")
"""Paths that programs ask for; everything else is a page."""


class Lifespan(Protocol):
    """Opens and closes what routes need, as Starlette knows it."""

    def __call__(self, app: Starlette) -> AbstractAsyncContextManager[Any]:
        """Enter at the start of the server, leave at its end."""


def application(
    memory: Memory, *, routes: Sequence[BaseRoute] = (), limits: Limits | None = None,
    lifespan: Lifespan | None = None, words: gettext.NullTranslations = ENGLISH,
) -> Starlette:  # fmt: skip
    """The pages of a store in the language of ``words``, its API, and ``routes``, behind one gate."""
    meters = Meters(memory)
    gate = Middleware(
        Gate, keys=memory.keys, limits=limits or Limits(), open_paths=health.OPEN,
        uploads=UPLOADS, page=is_page, told=meters.told,
    )  # fmt: skip
    made = Starlette(
        routes=[*routes, *api.routes(memory, meters), *health.routes(memory, meters)],
        middleware=[gate], exception_handlers={HTTPException: of_routing}, lifespan=lifespan,
    )  # fmt: skip
    made.state.meters = meters
    # A path with a slash too many is another path: a redirect would drop its body.
    made.router.redirect_slashes = False
    made.router.default = _Pages(live_pages(memory, words), made.router.default)
    return made


def is_page(path: str) -> bool:
    """Whether a path is for a person's browser."""
    return not any(path == start or path.startswith(f"{start}/") for start in _MACHINES)


class _Pages:
    """The live pages, for the owner of the store and on this machine alone."""

    def __init__(self, pages: ASGIApp, otherwise: ASGIApp) -> None:
        self._pages, self._otherwise = pages, otherwise

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not is_page(scope["path"]):
            return await self._otherwise(scope, receive, send)
        request = Request(scope)
        if not access_of(request).owner:
            raise Forbidden("the pages show every user: they need a key of the owner")
        if not is_loopback(request.client.host if request.client else ""):
            raise Forbidden("the pages are shown on the machine of the server alone")
        await self._pages(scope, receive, send)
