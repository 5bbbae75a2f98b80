"""Serves the table: reads a request, runs its operation in a thread, writes the answer.

Invariant: a body is read whole before anything runs, so a client that leaves in the middle
has changed nothing.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import IO

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from palimpsest.engine import Memory
from palimpsest.errors import InputError
from palimpsest.web.access import Access, access_of
from palimpsest.web.api.answers import written
from palimpsest.web.api.keeping import spool
from palimpsest.web.api.openapi import document
from palimpsest.web.api.operation import FILE, Call, Operation
from palimpsest.web.api.reading import body_of, params_of
from palimpsest.web.api.table import OPERATIONS, START
from palimpsest.web.meters import Meters
from palimpsest.web.threads import CHANGES

JSON, LINES = "application/json", "application/x-ndjson"
_PIECE = 1 << 20
Endpoint = Callable[[Request], Awaitable[Response]]


def routes(memory: Memory, meters: Meters) -> list[Route]:
    """One route a path, with an endpoint a method, and the document that describes them."""
    by_path: dict[str, dict[str, Operation]] = {}
    for row in OPERATIONS:
        by_path.setdefault(row.path, {})[row.method] = row

    async def openapi(request: Request) -> Response:
        return Response(await run_in_threadpool(document), media_type=JSON)

    made = [Route(f"{START}/openapi.json", openapi, methods=["GET"])]
    # A path with a part that varies comes after those that spell it out.
    for path in sorted(by_path, key=lambda path: "{" in path):
        endpoint = _endpoint(memory, meters, by_path[path])
        made.append(Route(f"{START}{path}", endpoint, methods=list(by_path[path])))
    return made


def _endpoint(memory: Memory, meters: Meters, rows: Mapping[str, Operation]) -> Endpoint:
    async def answer(request: Request) -> Response:
        row = rows["GET" if request.method == "HEAD" else request.method]
        path, query = request.path_params, request.query_params.multi_items()
        access = access_of(request)
        if row.body == "file":
            return await _taken(request, memory, row, access)
        raw = await _body(request) if row.body else b""

        def run() -> bytes | IO[bytes]:
            return _run(row, memory, access, meters, path, query, raw)

        in_thread = run_in_threadpool if row.method == "GET" else CHANGES.run
        made = await in_thread(run)
        if isinstance(made, bytes):
            return Response(made, media_type=JSON)
        # Starlette runs an iterator that waits in a thread, a piece at a time.
        return StreamingResponse(_pieces(made), media_type=LINES)

    return answer


def _run(
    row: Operation, memory: Memory, access: Access, meters: Meters, path: Mapping[str, str],
    query: Sequence[tuple[str, str]], raw: bytes,
) -> bytes | IO[bytes]:  # fmt: skip
    params = params_of(row.params, path, query)
    body = body_of(row.body, raw) if row.body and row.body != "file" else None
    call = Call(memory=memory, access=access, params=params, body=body, built=meters.built)
    if row.owner:
        call.owner()
    made = row.run(call)
    if row.answer == FILE:
        return made  # type: ignore[return-value]
    return written(row.answer, made, access)


async def _body(request: Request) -> bytes:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != JSON:
        raise InputError(f"content-type: {kind!r:.80} is not {JSON}")
    return await request.body()


async def _taken(request: Request, memory: Memory, row: Operation, access: Access) -> Response:
    """An operation on a file: the file is at hand, whole, before anything of it is read."""
    params = params_of(row.params, request.path_params, request.query_params.multi_items())
    with spool(memory) as file:
        async for piece in request.stream():
            await run_in_threadpool(file.write, piece)
        file.seek(0)
        call = Call(memory=memory, access=access, params=params, file=file)
        made = await CHANGES.run(lambda: written(row.answer, row.run(call), access))
    return Response(made, media_type=JSON)


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while piece := file.read(_PIECE):
            yield piece
