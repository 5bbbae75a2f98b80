"""What went wrong, in the one shape that every route answers with.

``{"error": {"code", "message"}}`` with the status of the error table. Invariant: an error of
the program, and one of the store that would tell a path of the server, says a fixed sentence.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from palimpsest.errors import (
    MEANINGS,
    InputError,
    NotFound,
    NotPrepared,
    PalimpsestError,
    StoreError,
    TooMany,
)

_HIDDEN = "the server cannot do this now; its owner finds the kind of the error in its log"
_NO_METHOD = 405


def answer_of(error: BaseException, *, owner: bool, basic: bool = False) -> JSONResponse:
    """The answer to a request that ended in ``error``, for the store's ``owner`` or a key.

    ``basic`` lets a browser ask its user for the key.
    """
    known = isinstance(error, PalimpsestError)
    code = error.code if isinstance(error, PalimpsestError) else PalimpsestError.code
    told = known and (owner or not isinstance(error, (StoreError, NotPrepared)))
    headers: dict[str, str] = {}
    status = MEANINGS[code].http_status
    if isinstance(error, TooMany):
        headers["retry-after"] = str(max(1, math.ceil(error.seconds)))
    if status == 401:
        headers["www-authenticate"] = 'Basic realm="palimpsest"' if basic else "Bearer"
    return said(code, str(error) if told else _HIDDEN, status, headers)


def said(
    code: str, message: str, status: int, headers: Mapping[str, str] | None = None
) -> JSONResponse:
    """The one shape, from its parts."""
    # A message may quote what was sent, and a half of a surrogate pair has no UTF-8.
    clean = message.encode("utf-8", "backslashreplace").decode()
    body = {"error": {"code": code, "message": clean}}
    return JSONResponse(body, status, headers=dict(headers or {}))


async def of_routing(request: Request, error: Exception) -> Response:
    """A path that no route has, or a method that it does not take."""
    assert isinstance(error, HTTPException)
    if error.status_code == _NO_METHOD:
        allowed = (error.headers or {}).get("Allow", "")
        message = f"the path takes {allowed}, not {request.method}"
        return said(InputError.code, message, error.status_code, error.headers)
    if error.status_code == MEANINGS[NotFound.code].http_status:
        message = "there is no such path; the operations are in /api/v1/openapi.json"
        return said(NotFound.code, message, error.status_code)
    return said(InputError.code, error.detail, error.status_code, error.headers)
