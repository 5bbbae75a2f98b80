"""A model server that answers at once, in a process of its own; see ``benchmarks.proxy``."""

from __future__ import annotations

import socket

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from tests.support.crowd import echo
from tests.support.upstream import streamed, whole

AGREED = "All of it is as agreed."


async def _answer(request: Request) -> Response:
    body = await request.json()
    asked = body["messages"][-1]["content"]
    if "I am client" in asked:
        sent = echo(body)
    else:
        sent = streamed(AGREED) if body.get("stream") else whole(AGREED)
    if body.get("stream"):

        async def pieces():  # type: ignore[no-untyped-def]
            for piece in sent.pieces:
                yield piece

        return StreamingResponse(pieces(), media_type=sent.kind)
    return Response(sent.whole, media_type=sent.kind)


def run() -> None:
    """Say the base URL, then serve until the process is ended."""
    app = Starlette(routes=[Route("/v1/chat/completions", _answer, methods=["POST"])])
    # The protocol is named, or asyncio lets small pieces wait for an acknowledgement.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(256)
        print(f"http://127.0.0.1:{listening.getsockname()[1]}/v1", flush=True)
        config = uvicorn.Config(app, log_level="warning", access_log=False, timeout_keep_alive=75)
        uvicorn.Server(config).run(sockets=[listening])
