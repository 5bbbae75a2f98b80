"""Plays the examples of the API in the order of its table, against a server of its own."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from palimpsest import Memory
from palimpsest.protocols import Tokenizer
from palimpsest.web.api.operation import Operation
from palimpsest.web.api.table import OPERATIONS, START
from palimpsest.web.serving import application

LOOPBACK = ("127.0.0.1", 50_000)
_DRAWN = re.compile(r"(?<![0-9a-zA-Z])[0-9a-f]{16,64}(?![0-9a-zA-Z])")


@contextmanager
def client_of(memory: Memory, **given: Any) -> Iterator[TestClient]:
    """A client on the machine of a server of ``memory``."""
    app = application(memory, **given)
    with TestClient(
        app, base_url="http://127.0.0.1:8377", client=LOOPBACK, raise_server_exceptions=True
    ) as client:
        yield client


def address(row: Operation, asks: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The path of an operation with its parts filled in, and what is left for the query."""
    left = dict(asks)
    path = re.sub(r"\{(\w+)\}", lambda part: str(left.pop(part[1])), row.path)
    return f"{START}{path}", left


def ask(client: TestClient, row: Operation, asks: dict[str, Any], says: Any = None) -> Any:
    """One call of an operation."""
    path, query = address(row, asks)
    given: dict[str, Any] = {}
    if row.body == "file":
        given["content"] = says
    elif row.body is not None:
        given["json"] = says
    return client.request(row.method, path, params=query, **given)


def played(tokenizer: Tokenizer | str, folder: Path) -> Iterator[tuple[Operation, Any]]:
    """Every operation with what it answers to its example."""
    ticks = itertools.count()

    def clock() -> str:
        return f"2030-05-01T12:{next(ticks) // 60 % 60:02}:00+00:00"

    with (
        Memory.open(folder / "story.db", tokenizer=tokenizer, clock=clock) as memory,
        client_of(memory) as client,
    ):
        request = ""
        for row in OPERATIONS:
            asks = dict(row.asks)
            if row.id == "show_request":
                asks["id"] = request
            answer = ask(client, row, asks, row.says)
            if row.id == "build_request":
                request = answer.json()["id"]
            yield row, answer


def examples(tokenizer: Tokenizer | str, folder: Path) -> str:
    """The file of examples: what is drawn by chance is written as zeros."""
    found: dict[str, Any] = {}
    for row, answer in played(tokenizer, folder):
        assert answer.status_code == 200, (row.id, answer.text)
        kind = answer.headers["content-type"]
        found[row.id] = answer.json() if kind == "application/json" else _first(answer.text)
    text = json.dumps(found, indent=1, ensure_ascii=False) + "\n"
    return _DRAWN.sub(lambda drawn: "0" * len(drawn[0]), text)


def _first(lines: str) -> str:
    return "".join(lines.splitlines(keepends=True)[:3])
