"""Whatever stands in a body, the answer is 4xx in the one shape, and nothing has changed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from palimpsest import Memory
from palimpsest.errors import MEANINGS
from palimpsest.web.api.operation import Operation
from palimpsest.web.api.table import OPERATIONS
from palimpsest.web.limits import Limits
from tests.property.test_isolation import COUNTER
from tests.support.api_story import address, client_of

TAKING = [row for row in OPERATIONS if row.body is not None]
LIMIT = 20_000
HALF = "\\ud83d"
"""Half of a surrogate pair, as JSON escapes it."""


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[Memory, TestClient]]:
    """A server with something in it."""
    with Memory.open(":memory:", counter=COUNTER) as memory:
        talk = memory.conversation(user="ana", id="trip")
        talk.observe(user="My diet is vegan.", assistant="Good.")
        talk.reflect()
        with client_of(memory, limits=Limits(body=LIMIT, upload=LIMIT)) as client:
            yield memory, client


def _state(memory: Memory) -> object:
    talk = memory.conversation(user="ana", id="trip")
    return (memory.users(), memory.conversations("ana"), talk.turns(), talk.visible(),
            talk.verdicts(), talk.deletions(), talk.requests())  # fmt: skip


def _sent(client: TestClient, row: Operation, body: bytes) -> Any:
    path, query = address(row, dict(row.asks))
    kind = "application/x-ndjson" if row.body == "file" else "application/json"
    return client.request(
        row.method, path, params=query, content=body, headers={"content-type": kind}
    )


def _refused(answer: Any) -> None:
    assert 400 <= answer.status_code < 500, (answer.status_code, answer.text)
    data = answer.json()
    assert ["error"] == list(data)
    assert ["code", "message"] == list(data["error"])
    assert MEANINGS[data["error"]["code"]].http_status == answer.status_code
    assert len(answer.content) < 2_000


def _example(row: Operation) -> bytes:
    return row.says.encode() if row.body == "file" else json.dumps(row.says).encode()


BROKEN: dict[str, Any] = {
    "empty": lambda good: b"",
    "blank": lambda good: b" \n",
    "truncated": lambda good: good.rstrip()[:-1],
    "two": lambda good: good.rstrip() + b"}",
    "null": lambda good: b"null",
    "list": lambda good: b"[]",
    "number": lambda good: b"1",
    "text": lambda good: b'"x"',
    "nan": lambda good: b'{"text": NaN}',
    "infinity": lambda good: b'{"id": -Infinity}',
    "long number": lambda good: b'{"id": ' + b"9" * 5_000 + b"}",
    "large number": lambda good: b'{"id": 9223372036854775808}',
    "deep list": lambda good: b"[" * 9_000 + b"]" * 9_000,
    "deep object": lambda good: b'{"a":' * 3_000 + b"1" + b"}" * 3_000,
    "deep and open": lambda good: b'{"user":' + b"[" * 10_000,
    "deep inside": lambda good: (
        b'{"messages":[{"role":"user","content":"x","extra":' + b"[" * 70 + b"]" * 70 + b"}]}"
    ),
    "huge": lambda good: b'{"text": "' + b"x" * LIMIT + b'"}',
    "not utf-8": lambda good: b'{"text": "\xff\xfe"}',
    "overlong utf-8": lambda good: b'{"text": "\xc0\xaf"}',
    "cut utf-8": lambda good: b'{"text": "\xe2\x82',
    "raw surrogate": lambda good: b'{"text": "\xed\xa0\xbd"}',
    "utf-16": lambda good: '{"text": "x"}'.encode("utf-16"),
    "mark": lambda good: b"\xef\xbb\xbf" + b'{"text": "x"}',
    "nul": lambda good: b'{"text": "a\\u0000b", "value": "a\\u0000b"}',
    "raw nul": lambda good: b'{"text": "a\x00b"}',
    "nul in a key": lambda good: b'{"\\u0000": 1}',
    "half a pair": lambda good: f'{{"text": "{HALF}", "value": "{HALF}"}}'.encode(),
    "half a pair in a key": lambda good: f'{{"{HALF}": 1}}'.encode(),
    "half a pair inside": lambda good: (
        f'{{"messages": [{{"role": "user", "content": "{HALF}"}}]}}'.encode()
    ),
    "unknown key": lambda good: b'{"nope": 1}',
    "wrong types": lambda good: (
        b'{"user": 1, "text": 1, "id": "1", "value": [], "question": {}, "budget": [],'
        b' "retry": 1, "memory": "1"}'
    ),
}  # fmt: skip


@pytest.mark.parametrize("row", TAKING, ids=lambda row: row.id)
def test_a_broken_body_is_refused(row: Operation, server: tuple[Memory, TestClient]) -> None:
    """In each way that bodies break, for each operation that takes one."""
    memory, client = server
    before = _state(memory)
    for name, broken in BROKEN.items():
        answer = _sent(client, row, broken(_example(row)))
        try:
            _refused(answer)
        except AssertionError as error:
            raise AssertionError(f"{name}: {error}") from None
    assert before == _state(memory)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@settings(max_examples=120, deadline=None)
@given(
    st.sampled_from([row for row in TAKING if row.body != "file"]), st.data(),
    st.sampled_from(("value", "bytes", "field")),
)  # fmt: skip
def test_no_body_ends_in_an_error_of_the_program(
    server: tuple[Memory, TestClient], row: Operation, data: st.DataObject, how: str
) -> None:
    """Any JSON, any bytes, and a good body with one field of any kind."""
    _, client = server
    if how == "bytes":
        body = data.draw(st.binary(max_size=200))
    elif how == "value":
        body = json.dumps(data.draw(json_values)).encode()
    else:
        name = data.draw(st.sampled_from(sorted(row.body.model_fields)))  # type: ignore[union-attr]
        body = json.dumps({**row.says, name: data.draw(json_values)}).encode()
    answer = _sent(client, row, body)

    assert answer.status_code < 500, (row.id, body, answer.text)
    if answer.status_code != 200:
        _refused(answer)
