"""The live pages as a Starlette application: one route a page, HTML or JSON.

Every page is a function from the query to a context record; ``.json`` behind its path gives
the record itself, also behind that of a change. The core is synchronous and runs in threads.
"""

from __future__ import annotations

import dataclasses
import gettext
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from palimpsest.engine import Memory
from palimpsest.errors import MEANINGS, NotFound, PalimpsestError
from palimpsest.web import threads
from palimpsest.web.live.changes import CHANGES, Change, Shown, link
from palimpsest.web.live.guard import Guard, Token
from palimpsest.web.live.pages import PAGES, Page, Query
from palimpsest.web.render import ENGLISH, assets, environment

_FIELDS = ("user", "conversation", "q", "kind", "state", "action", "rule", "verdict")
_EMPTY = dict.fromkeys(_FIELDS, "")
Endpoint = Callable[[Request], Awaitable[Response]]


def application(memory: Memory, words: gettext.NullTranslations = ENGLISH) -> Starlette:
    """The pages of one store, in the language of ``words``."""
    face = _Face(memory, words)
    routes = []
    for path, (template, page) in PAGES.items():
        routes.append(Route(path, face.page(template, page)))
        routes.append(Route(f"{path.rstrip('/') or '/index'}.json", face.data(page)))
    for path, change in CHANGES.items():
        routes.append(Route(path, face.change(change), methods=["POST"]))
        routes.append(Route(f"{path}.json", face.change_data(change), methods=["POST"]))
    return Starlette(
        routes=routes, exception_handlers={404: face.unknown, 405: face.unknown},
        middleware=[Middleware(Guard, policy=f"{face.policy}; form-action 'self'")],
    )  # fmt: skip


class _Face:
    """Both faces of every record: pages from templates, and JSON."""

    def __init__(self, memory: Memory, words: gettext.NullTranslations) -> None:
        self._memory, self._pages, self._token = memory, environment(words), Token()
        self._shared = {**assets("live.css", "live.js"), "token": self._token.value, "link": link}
        self.policy: str = self._shared.pop("policy")

    def page(self, template: str, page: Page) -> Endpoint:
        """A record as a page."""

        async def show(request: Request) -> Response:
            query = dict(request.query_params)
            try:
                made = await run_in_threadpool(page, self._memory, query)
            except PalimpsestError as error:
                return self._failed(error, query)
            return self._rendered(template, made, query)

        return show

    def data(self, page: Page) -> Endpoint:
        """The same record as JSON."""

        async def data(request: Request) -> Response:
            try:
                made = await run_in_threadpool(page, self._memory, dict(request.query_params))
            except PalimpsestError as error:
                return _failed_data(error)
            return _data(made)

        return data

    def change(self, change: Change) -> Endpoint:
        """What a form asks; then the page that it leads to."""

        async def act(request: Request) -> Response:
            fields: Mapping[str, str] = {}
            try:
                fields = await self._token.form(request)
                place = await threads.CHANGES.run(partial(change, self._memory, fields))
            except PalimpsestError as error:
                return self._failed(error, fields)
            if isinstance(place, Shown):
                return self._rendered(place.template, place.page, fields)
            return RedirectResponse(place, 303)

        return act

    def change_data(self, change: Change) -> Endpoint:
        """The same change; its page as JSON, or the JSON page that it leads to."""

        async def act(request: Request) -> Response:
            try:
                fields = await self._token.form(request)
                place = await threads.CHANGES.run(partial(change, self._memory, fields))
            except PalimpsestError as error:
                return _failed_data(error)
            if isinstance(place, Shown):
                return _data(place.page)
            path, _, query = place.partition("?")
            return RedirectResponse(f"{path}.json?{query}", 303)

        return act

    async def unknown(self, request: Request, error: Exception) -> Response:
        """A path or a method that no page has."""
        status = getattr(error, "status_code", 404)
        said = {"code": NotFound.code, "message": ""}
        if request.url.path.endswith(".json"):
            return JSONResponse({"error": {**said, "message": "there is no such page"}}, status)
        return self._rendered("error", said, {}, status)

    def _failed(self, error: PalimpsestError, query: Query) -> Response:
        page = {"code": error.code, "message": str(error)}
        return self._rendered("error", page, query, MEANINGS[error.code].http_status)

    def _rendered(self, template: str, page: object, query: Query, status: int = 200) -> Response:
        text = self._pages.get_template(f"live/{template}.html.j2").render(
            {**self._shared, "page": page, "query": {**_EMPTY, **query}, "here": template}
        )
        return HTMLResponse(text, status)


def _data(made: Any) -> Response:
    return JSONResponse({"schema": 1, **dataclasses.asdict(made)})


def _failed_data(error: PalimpsestError) -> Response:
    body = {"error": {"code": error.code, "message": str(error)}}
    return JSONResponse(body, MEANINGS[error.code].http_status)
