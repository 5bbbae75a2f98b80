"""The live pages as a Starlette application: one route a page, HTML or JSON.

Every page is a function from the query to a context record; ``.json`` behind its path gives
the record itself. The core is synchronous and runs in threads.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import urlencode

import jinja2
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from palimpsest.conversation import Conversation
from palimpsest.engine import Memory
from palimpsest.errors import MEANINGS, InputError, PalimpsestError
from palimpsest.web.live import contexts
from palimpsest.web.live.guard import Guard, Token
from palimpsest.web.render import assets, environment

Query = Mapping[str, str]
_EMPTY = dict.fromkeys(("user", "conversation", "q", "kind", "state"), "")
Page = Callable[[Memory, Query], object]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What a change answers with where there is nothing to go on to: a page of its own."""

    template: str
    page: object


Change = Callable[[Memory, Mapping[str, str]], str | Shown]
"""Does what a form asks; returns the path to go on to, or a page."""


def application(memory: Memory) -> Starlette:
    """The pages of one store."""
    pages, token = environment(), Token()
    shared = {**assets("live.css", "live.js"), "token": token.value, "link": _link}
    policy = shared.pop("policy")
    routes = []
    for path, (template, page) in PAGES.items():
        show = _show(memory, pages, template, page, shared)
        routes.append(Route(path, show))
        routes.append(Route(f"{path.rstrip('/') or '/index'}.json", _data(memory, page)))
    for path, change in CHANGES.items():
        routes.append(Route(path, _change(memory, pages, token, change, shared), methods=["POST"]))
    return Starlette(
        routes=routes, middleware=[Middleware(Guard, policy=f"{policy}; form-action 'self'")]
    )


def _link(path: str, **query: object) -> str:
    kept = {key: value for key, value in query.items() if value not in (None, "")}
    return f"{path}?{urlencode(kept)}" if kept else path


def _show(
    memory: Memory, pages: jinja2.Environment, template: str, page: Page, shared: Mapping[str, Any]
) -> Callable[[Request], Awaitable[Response]]:
    async def show(request: Request) -> Response:
        query = dict(request.query_params)
        try:
            made = await run_in_threadpool(page, memory, query)
        except PalimpsestError as error:
            return _failed(pages, error, query, shared)
        return _rendered(pages, template, made, query, shared)

    return show


def _rendered(
    pages: jinja2.Environment, template: str, page: object, query: Query,
    shared: Mapping[str, Any], status: int = 200,
) -> Response:  # fmt: skip
    text = pages.get_template(f"live/{template}.html.j2").render(
        {**shared, "page": page, "query": {**_EMPTY, **query}, "here": template}
    )
    return HTMLResponse(text, status)


def _data(memory: Memory, page: Page) -> Callable[[Request], Awaitable[Response]]:
    async def data(request: Request) -> Response:
        try:
            made: Any = await run_in_threadpool(page, memory, dict(request.query_params))
        except PalimpsestError as error:
            body = {"error": {"code": error.code, "message": str(error)}}
            return JSONResponse(body, MEANINGS[error.code].http_status)
        return JSONResponse({"schema": 1, **dataclasses.asdict(made)})

    return data


def _change(
    memory: Memory, pages: jinja2.Environment, token: Token, change: Change,
    shared: Mapping[str, Any],
) -> Callable[[Request], Awaitable[Response]]:  # fmt: skip
    async def act(request: Request) -> Response:
        fields: Mapping[str, str] = {}
        try:
            fields = await token.form(request)
            place = await run_in_threadpool(change, memory, fields)
        except PalimpsestError as error:
            return _failed(pages, error, fields, shared)
        if isinstance(place, Shown):
            return _rendered(pages, place.template, place.page, fields, shared)
        return RedirectResponse(place, 303)

    return act


def _failed(
    pages: jinja2.Environment, error: PalimpsestError, query: Query, shared: Mapping[str, Any]
) -> Response:
    page = {"code": error.code, "message": str(error)}
    return _rendered(pages, "error", page, query, shared, MEANINGS[error.code].http_status)


def _talk(memory: Memory, query: Query) -> Conversation:
    """The conversation that a query names; raises InputError."""
    for name in ("user", "conversation"):
        if not query.get(name, "").strip():
            raise InputError(f"{name}: is missing; begin at the list of conversations")
    return memory.conversation(user=query["user"], id=query["conversation"])


def _number(query: Query, name: str, default: int | None = None) -> int:
    text = query.get(name, "")
    if not text and default is not None:
        return default
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise InputError(f"{name}: {text!r} is not a whole number")
    return int(text)


def _turns(memory: Memory, query: Query) -> object:
    first = _number(query, "first") if query.get("first") else None
    return contexts.turns(_talk(memory, query), first)


def _memories(memory: Memory, query: Query) -> object:
    return contexts.memories(
        _talk(memory, query), query=query.get("q", ""), kind=query.get("kind", ""),
        state=query.get("state", "current"), page=_number(query, "page", 1),
    )  # fmt: skip


def _request(memory: Memory, query: Query) -> object:
    return contexts.request(_talk(memory, query), query.get("id", ""))


PAGES: Mapping[str, tuple[str, Page]] = {
    "/": ("home", lambda memory, query: contexts.home(memory)),
    "/turns": ("turns", _turns),
    "/memories": ("memories", _memories),
    "/memory": (
        "memory",
        lambda memory, query: contexts.one_memory(_talk(memory, query), _number(query, "id")),
    ),
    "/requests": ("requests", lambda memory, query: contexts.requests(_talk(memory, query))),
    "/request": ("request", _request),
    "/why": (
        "why", lambda memory, query: contexts.answer(_talk(memory, query), query.get("q", ""))
    ),
    "/verdicts": ("verdicts", lambda memory, query: contexts.verdicts(_talk(memory, query))),
    "/corners": ("corners", lambda memory, query: contexts.corners(_talk(memory, query))),
    "/health": (
        "health", lambda memory, query: contexts.health(memory, _talk(memory, query))
    ),
    "/audit": ("audit", lambda memory, query: contexts.Audited(audit=None)),
}  # fmt: skip


def _pin(memory: Memory, fields: Mapping[str, str]) -> str:
    id = _number(fields, "id")
    _talk(memory, fields).pin(id, pinned=fields.get("pinned") == "yes")
    return _back("/memory", fields, id=id)


def _correct(memory: Memory, fields: Mapping[str, str]) -> str:
    made = _talk(memory, fields).correct(fields.get("text", ""), id=_number(fields, "id"))
    return _back("/memory", fields, id=made.id)


def _forget(memory: Memory, fields: Mapping[str, str]) -> Shown:
    left = _talk(memory, fields).forget(id=_number(fields, "id"), reason="asked for in the pages")
    return Shown(
        template="forgotten", page=contexts.Forgotten(deletions=left, scrubbed=memory.scrubbed)
    )


def _audit(memory: Memory, fields: Mapping[str, str]) -> Shown:
    """The value comes in the body of a form: an address would be kept in a history."""
    found = memory.audit(fields.get("value", ""))
    return Shown(template="audit", page=contexts.Audited(audit=found))


def _undo(memory: Memory, fields: Mapping[str, str]) -> str:
    _talk(memory, fields).undo(_number(fields, "id"))
    return _back("/verdicts", fields)


def _settle(memory: Memory, fields: Mapping[str, str]) -> str:
    talk, id = _talk(memory, fields), _number(fields, "id")
    if fields.get("answer") == "accept":
        talk.accept(id)
    else:
        talk.dismiss(id)
    return _back("/verdicts", fields)


def _back(path: str, fields: Mapping[str, str], **more: object) -> str:
    return _link(path, user=fields["user"], conversation=fields["conversation"], **more)


CHANGES: Mapping[str, Change] = {
    "/memory/pin": _pin,
    "/memory/correct": _correct,
    "/memory/forget": _forget,
    "/audit": _audit,
    "/verdicts/undo": _undo,
    "/verdicts/settle": _settle,
}
