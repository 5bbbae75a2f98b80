"""The OpenAPI 3.1 document of the API, made from the table that serves it.

Invariant: every operation of the table is in it with its parameters, body, answer, errors and
an example of each, and nothing else is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from palimpsest import __version__
from palimpsest.errors import MEANINGS, Forbidden, InputError, TooLarge, TooMany, Unauthorized
from palimpsest.web.api.answers import adapter
from palimpsest.web.api.operation import FILE, Operation
from palimpsest.web.api.table import OPERATIONS, START

_REF = "#/components/schemas/{model}"
_ANY = (
    InputError.code, Unauthorized.code, Forbidden.code, TooLarge.code, TooMany.code, "error",
    "not_prepared",
)  # fmt: skip
"""What any operation may answer with."""
_ABOUT = (
    "Memory for long LLM conversations. Every error has one shape. A key is sent as "
    "'Authorization: Bearer KEY'; without keys the server answers its own machine alone."
)


@cache
def document() -> bytes:
    """The document as JSON."""
    schemas: dict[str, Any] = {"Error": _ERROR}
    paths: dict[str, dict[str, Any]] = {}
    for row in OPERATIONS:
        paths.setdefault(row.path, {})[row.method.lower()] = _operation(row, schemas)
    made = {
        "openapi": "3.1.0",
        "info": {"title": "palimpsest", "version": __version__, "description": _ABOUT},
        "servers": [{"url": START}],
        "security": [{"key": []}, {}],
        "tags": [{"name": tag} for tag in dict.fromkeys(row.tag for row in OPERATIONS)],
        "paths": paths,
        "components": {
            "schemas": dict(sorted(schemas.items())),
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
    }
    return json.dumps(made, ensure_ascii=False).encode()


@cache
def examples() -> Mapping[str, Any]:
    """What each operation answered when the examples of the table were played, by its id."""
    text = resources.files("palimpsest.web.api").joinpath("examples.json").read_text("utf-8")
    return dict(json.loads(text))


def _operation(row: Operation, schemas: dict[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {
        "operationId": row.id, "tags": [row.tag], "summary": row.summary,
        "parameters": _parameters(row),
        "responses": {
            "200": {"description": "Done.", "headers": _HEADERS, "content": _answer(row, schemas)},
            **_errors(row),
        },
    }  # fmt: skip
    if row.body == "file":
        made["requestBody"] = {"required": True, "content": _lines(row.says)}
    elif row.body is not None:
        schema = _hoisted(row.body.model_json_schema(ref_template=_REF), schemas)
        content = {"schema": schema, "example": row.says}
        made["requestBody"] = {"required": True, "content": {"application/json": content}}
    return made


def _parameters(row: Operation) -> list[dict[str, Any]]:
    schema = row.params.model_json_schema()
    found = []
    for name, about in schema["properties"].items() if "properties" in schema else ():
        inside = f"{{{name}}}" in row.path
        plain = {key: value for key, value in about.items() if key not in ("examples", "title")}
        told = plain.pop("description", "")
        given: dict[str, Any] = {
            "name": name, "in": "path" if inside else "query", "description": told,
            "required": inside or name in schema.get("required", ()), "schema": _not_null(plain),
        }  # fmt: skip
        if name in row.asks:
            given["example"] = row.asks[name]
        found.append(given)
    return found


def _not_null(schema: dict[str, Any]) -> dict[str, Any]:
    """A parameter of an address is there or is not: null is no value of one."""
    if "anyOf" not in schema:
        return schema
    (real,) = [each for each in schema["anyOf"] if each != {"type": "null"}]
    return dict(real)


def _answer(row: Operation, schemas: dict[str, Any]) -> dict[str, Any]:
    if row.answer == FILE:
        return _lines(examples().get(row.id))
    schema = adapter(row.answer).json_schema(mode="serialization", ref_template=_REF)
    content = {"schema": _hoisted(schema, schemas), "example": examples().get(row.id)}
    return {"application/json": content}


def _lines(example: str | None) -> dict[str, Any]:
    about = {"type": "string", "description": "One JSON record a line, as 'palimpsest export'."}
    return {"application/x-ndjson": {"schema": about, "example": example}}


def _hoisted(schema: dict[str, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    """Put a schema and what it refers to under their names; returns a reference to it."""
    for name, inner in schema.pop("$defs", {}).items():
        _put(name, inner, schemas)
    name = schema.get("title", "")
    return _put(name, schema, schemas) if name else schema


def _put(name: str, schema: dict[str, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    assert schemas.setdefault(name, schema) == schema, f"two schemas are called {name}"
    return {"$ref": _REF.format(model=name)}


def _errors(row: Operation) -> dict[str, Any]:
    by_status: dict[int, list[str]] = {}
    for code in (*_ANY, *row.errors):
        by_status.setdefault(MEANINGS[code].http_status, []).append(code)
    return {
        str(status): {
            "description": f"Error: {', '.join(codes)}.", "headers": _HEADERS,
            "content": {"application/json": {
                "schema": {"$ref": _REF.format(model="Error")},
                "example": {"error": {"code": codes[0], "message": "what, which, what to do"}},
            }},
        }
        for status, codes in sorted(by_status.items())
    }  # fmt: skip


_HEADERS = {"X-Request-Id": {"description": "Names it in the log.", "schema": {"type": "string"}}}
_ERROR = {
    "title": "Error", "type": "object", "required": ["error"], "additionalProperties": False,
    "properties": {"error": {
        "type": "object", "required": ["code", "message"], "additionalProperties": False,
        "properties": {
            "code": {"type": "string", "enum": sorted(MEANINGS)},
            "message": {"type": "string"},
        },
    }},
}  # fmt: skip
