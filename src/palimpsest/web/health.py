"""Whether the server lives, whether it can serve, and its figures: for whoever runs it."""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from palimpsest.engine import Memory
from palimpsest.errors import Forbidden
from palimpsest.web.access import access_of
from palimpsest.web.meters import CONTENT, Meters

OPEN = frozenset({"/healthz", "/readyz", "/api/v1/openapi.json"})
"""Paths that are answered without a key: they say nothing of what is stored."""


def routes(memory: Memory, meters: Meters) -> list[Route]:
    """``/healthz``, ``/readyz`` and ``/metrics``."""

    async def healthz(request: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def readyz(request: Request) -> Response:
        await run_in_threadpool(_ready, memory)
        return JSONResponse({"status": "ready"})

    async def metrics(request: Request) -> Response:
        if not access_of(request).owner:
            raise Forbidden("the figures are of all users: they need a key of the owner")
        return Response(await run_in_threadpool(meters.text), headers={"content-type": CONTENT})

    return [
        Route("/healthz", healthz), Route("/readyz", readyz), Route("/metrics", metrics),
    ]  # fmt: skip


def _ready(memory: Memory) -> None:
    """Read the store and load the tokenizer; raises StoreError and NotPrepared."""
    _ = memory.keys.asked_for
    _ = memory.counter
