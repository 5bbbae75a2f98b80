"""``/v1/chat/completions`` and ``/v1/models``, as routes behind the gate.

Invariant: whom a request speaks for comes from its key; a user's next request waits for the
observation of the last one, so a turn is stored before its successor is built.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from typing import Any

import anyio
import httpx
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from palimpsest.engine import Memory
from palimpsest.errors import ModelError, NotPrepared, PalimpsestError, StoreError
from palimpsest.protocols import Strategy
from palimpsest.types import Budget
from palimpsest.web.access import access_of
from palimpsest.web.proxy import asked as reading
from palimpsest.web.proxy.asked import Asked
from palimpsest.web.proxy.prepared import DEADLINE, Prepared, Preparer
from palimpsest.web.proxy.relay import Relay
from palimpsest.web.proxy.upstream import Upstream, client, sent_back, sent_on
from palimpsest.web.threads import CHANGES, REQUESTS

LOG = logging.getLogger("palimpsest.web")
MEMORY_SECONDS = 10.0
"""What memory may take of a turn, every wait included; past it the chat goes on without."""
_TRIES = 3


class Proxy:
    """The proxy in front of one upstream, with the memory of one store."""

    def __init__(
        self, memory: Memory, upstream: Upstream, *, budget: Budget, strategy: Strategy,
        memory_seconds: float = MEMORY_SECONDS,
    ) -> None:  # fmt: skip
        self._memory, self._upstream, self._seconds = memory, upstream, memory_seconds
        self._preparer = Preparer(memory, budget=budget, strategy=strategy)
        self._client = client(upstream)
        self._ending: dict[str, set[asyncio.Task[None]]] = {}

    @property
    def routes(self) -> list[Route]:
        """Its routes, with their whole paths."""
        return [
            Route("/v1/chat/completions", self.chat, methods=["POST"]),
            Route("/v1/models", self.models, methods=["GET"]),
        ]

    @property
    def keeping(self) -> int:
        """How many turns are being stored at this moment."""
        return sum(map(len, self._ending.values()))

    def lifespan(self, app: Starlette) -> AbstractAsyncContextManager[None]:
        """Load the tokenizer before the first turn; keep every turn before the end."""
        return self._running()

    @asynccontextmanager
    async def _running(self) -> AsyncIterator[None]:
        await anyio.to_thread.run_sync(self._warm)
        try:
            yield
        finally:
            while tasks := [task for some in self._ending.values() for task in some]:
                await asyncio.gather(*tasks)
            await self._client.aclose()

    def _warm(self) -> None:
        try:
            _ = self._memory.counter
        except (NotPrepared, PalimpsestError) as error:
            LOG.warning("requests go on without memory until this is settled: %s", error)

    async def chat(self, request: Request) -> Response:
        """Build, send, pass on, observe."""
        access = access_of(request)
        asked = reading.read(await request.body(), request.headers.get(reading.NAME_HEADER))
        user = access.user(asked.user)
        began = time.perf_counter()
        prepared = await self._prepared(user, asked)
        meters = request.app.state.meters
        meters.built(time.perf_counter() - began, bool(prepared.degraded))
        sent = self._client.build_request(
            "POST", self._upstream.url("chat/completions"),
            content=reading.body_of(asked, prepared.messages, self._upstream.model),
            headers=sent_on(dict(request.headers), self._upstream, access),
        )  # fmt: skip
        return Relay(
            self._client, sent, told=prepared.headers(),
            observe=partial(self._observe, user, prepared),
        )  # fmt: skip

    async def models(self, request: Request) -> Response:
        """The models of the upstream, as it lists them."""
        headers = sent_on(dict(request.headers), self._upstream, access_of(request))
        try:
            found = await self._client.get(self._upstream.url("models"), headers=headers)
        except httpx.HTTPError:
            raise ModelError("the model server cannot be reached; its owner starts it") from None
        response = Response(found.content, found.status_code)
        kept = [h for h in sent_back(found.headers.raw) if h[0] != b"content-encoding"]
        response.raw_headers = [h for h in kept if h[0] != b"content-length"] + [
            (b"content-length", str(len(found.content)).encode())
        ]
        return response

    async def _prepared(self, user: str, asked: Asked) -> Prepared:
        """What is sent, within the time that memory may take."""
        with anyio.move_on_after(self._seconds):
            if ending := self._ending.get(user):
                await asyncio.wait(set(ending))
            return await REQUESTS.run(partial(self._preparer.prepare, user, asked), leave=True)
        return self._preparer.plain(user, asked, reason=DEADLINE, in_reach=False)

    # --- after the answer ---------------------------------------------------------------

    def _observe(self, user: str, prepared: Prepared, reply: dict[str, Any] | None) -> None:
        """Keep the turn, or the ledger alone, while the answer goes on its way."""
        exchange, built = prepared.exchange, prepared.request
        if exchange is None or (reply is None and built is None):
            return
        exchanges = self._memory.exchanges
        if reply is not None:
            task = self._kept(partial(exchanges.observe, exchange, reply, built))
        else:
            assert built is not None
            task = self._kept(partial(exchanges.broke_off, exchange, built))
        made = asyncio.get_running_loop().create_task(task)
        self._ending.setdefault(user, set()).add(made)
        made.add_done_callback(partial(self._ended, user))

    def _ended(self, user: str, task: asyncio.Task[None]) -> None:
        left = self._ending[user]
        left.discard(task)
        if not left:
            del self._ending[user]

    async def _kept(self, keep: Callable[[], object]) -> None:
        """Try again where the store is busy; a turn that is lost comes with the next history."""
        for attempt in range(_TRIES):
            try:
                await CHANGES.run(keep)
                return
            except StoreError as error:
                LOG.warning("a turn was not kept (try %d): %s", attempt + 1, type(error).__name__)
            except Exception as error:  # noqa: BLE001 - no failure here reaches a chat
                # The message of an error may quote a text of a user's: no log holds one.
                LOG.warning("a turn was not kept: %s", type(error).__name__)
                return
