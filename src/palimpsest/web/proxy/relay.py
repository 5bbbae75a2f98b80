"""An answer of the upstream, passed on byte for byte while a copy of it is read.

A client that leaves ends the call of the upstream, and nothing is kept: what it shows of the
answer comes with its next message. Invariant: the client sees the status, the headers and the
bytes that the upstream sent, and where the upstream breaks off, so does this answer; the turn
is handed to be observed before the last byte is passed on, and only where the reply is whole.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

import anyio
import httpx
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from palimpsest.errors import ModelError
from palimpsest.web.proxy.reply import Copy
from palimpsest.web.proxy.upstream import sent_back

Observe = Callable[[dict[str, Any] | None], None]
"""Is told once how the answer ended: with a reply, or with none."""


class Relay(Response):
    """Asks the upstream and passes its answer on."""

    def __init__(
        self, client: httpx.AsyncClient, request: httpx.Request, *, told: Mapping[str, str],
        observe: Observe,
    ) -> None:  # fmt: skip
        self._client, self._request, self._observe = client, request, observe
        self._told = [(name.encode(), value.encode("latin-1")) for name, value in told.items()]
        self._started = self._observed = False
        self.background = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer; raises ModelError where there is no answer, or no end of it."""
        failure: ModelError | None = None
        try:
            async with anyio.create_task_group() as group:

                async def leave() -> None:
                    while (await receive())["type"] != "http.disconnect":
                        pass
                    group.cancel_scope.cancel()

                group.start_soon(leave)
                try:
                    await self._answer(send)
                except httpx.HTTPError as error:
                    failure = self._failure(error)
                group.cancel_scope.cancel()
        except asyncio.CancelledError:
            # The server ends: this answer breaks off, and that is all there is to say.
            return
        finally:
            self._end(None)
        if failure is not None:
            raise failure

    async def _answer(self, send: Send) -> None:
        response = await self._client.send(self._request, stream=True)
        try:
            headers = [*sent_back(response.headers.raw), *self._told]
            self._started = True
            await send(
                {"type": "http.response.start", "status": response.status_code, "headers": headers}
            )
            copy = Copy(response.headers) if response.is_success else None
            async for piece in response.aiter_raw():
                if copy is not None:
                    copy.feed(piece)
                    self._look(copy)
                await send({"type": "http.response.body", "body": piece, "more_body": True})
            if copy is not None:
                copy.end()
                self._look(copy)
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            with anyio.CancelScope(shield=True):
                await response.aclose()

    def _look(self, copy: Copy) -> None:
        if copy.complete:
            self._end(copy.reply())

    def _end(self, reply: dict[str, Any] | None) -> None:
        if not self._observed:
            self._observed = True
            self._observe(reply)

    def _failure(self, error: httpx.HTTPError) -> ModelError:
        if self._started:
            return ModelError("the model server broke off its answer")
        if isinstance(error, httpx.TimeoutException):
            return ModelError("the model server did not answer in time; ask again later")
        return ModelError("the model server cannot be reached; its owner has to start it")
