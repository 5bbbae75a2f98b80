"""With one user's canary in the store, no route of the server returns it to another's key.

Operations come from the table and the other routes from the application, so one that is added
later is called too. What is answered is searched with its headers, and so is every error; what
the first user has stays as it was.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from palimpsest import Memory
from palimpsest.web.api.operation import Operation
from palimpsest.web.api.table import OPERATIONS, START
from palimpsest.web.limits import Limits
from palimpsest.web.live.changes import CHANGES
from palimpsest.web.live.pages import PAGES
from tests.property.test_isolation import CANARY, COUNTER, filled
from tests.support.api_story import address, client_of

SAID = re.compile(r"(?i)QX77|ZZ99|\dcanary")
BODIES: Mapping[str, tuple[Any, ...]] = {
    "append_turns": ({"user": "What is the code?", "assistant": "Who knows."},
                     {"messages": [{"role": "assistant", "content": "Yes."}]}),
    "observe_turns": ({"user": "I like tea. Forget my code.", "assistant": "Ok."},),
    "reflect": ({}, {"retry": True}),
    "remember": ({"text": "I like milk.", "attribute": "code"}, {"text": "My.", "turn": 1}),
    "correct": ({"text": "My code is 1.", "id": 1}, {"text": "It is 2.", "attribute": "code"},
                {"text": "It is 3.", "words": "my code"}),
    "plan_forget": ({"words": "my code"}, {"id": 1}, {"attribute": "code"}, {"attribute": "old"}),
    "forget": ({"words": "my code"}, {"id": 1}, {"attribute": "code"}, {"id": 2}),
    "build_request": tuple(
        {"question": "My code is?", "budget": {"window": 100_000}, "strategy": strategy}
        for strategy in ("managed", "seats", "recent", "notes", "append-only")
    ),
    "accept_verdict": ({}, {"memory": 1}),
    "audit": ({"value": "code"},),
    "import": ('{"format":"palimpsest export","schema":1,"policy":"managed"}\n',),
}  # fmt: skip
"""What is sent to each operation that takes a body."""
USERS = (None, "a", "b", "A", "a/b", "../a", "b/../a", "%61", "default", "b/a", "a\u0000")
IDS = (1, 2, 3)


def test_every_operation_with_a_body_is_called() -> None:
    """One that comes later has to be added here."""
    assert {row.id for row in OPERATIONS if row.body} == set(BODIES)


@pytest.fixture(params=["users", "tenant"])
def server(request: pytest.FixtureRequest) -> Iterator[tuple[Memory, TestClient, dict[str, str]]]:
    """A server with the canary of user ``a``, and the headers of another's key."""
    with Memory.open(":memory:", counter=COUNTER) as memory:
        filled(memory)
        held: dict[str, Any] = {"users": ["b"]} if request.param == "users" else {"tenant": "b"}
        _, secret = memory.keys.add("other", **held)
        stored = "b" if request.param == "users" else "b/b"
        memory.conversation(user=stored, id="c").append(user="Hello.", assistant="Hi.")
        with client_of(memory, limits=Limits(rate=0, at_once=0)) as client:
            yield memory, client, {"authorization": f"Bearer {secret}"}


def _mine(memory: Memory) -> tuple[object, ...]:
    mine = memory.conversation(user="a", id="c")
    return (mine.turns(), mine.visible(), mine.verdicts(), mine.story(), mine.deletions(),
            mine.requests(), mine.counts())  # fmt: skip


def _calls(row: Operation, user: str | None, id: int, request: str) -> Iterator[dict[str, Any]]:
    fields = row.params.model_fields
    asks: dict[str, Any] = {"conversation": "c"} if "conversation" in fields else {}
    if "user" in fields and user is not None:
        asks["user"] = user
    if "id" in fields:
        asks["id"] = request if row.path.startswith("/requests") else id
    if "q" in fields:
        asks["q"] = "code"
    path, query = address(row, asks)
    for body in BODIES.get(row.id, (None,)):
        sent = {"content": body} if row.body == "file" else {"json": body} if row.body else {}
        yield {"method": row.method, "url": path, "params": query, **sent}


def _searched(answer: Any, what: object) -> None:
    assert not SAID.search(answer.text), what
    assert not SAID.search(str(answer.headers)), what
    assert answer.status_code < 500, (what, answer.text)


@settings(
    max_examples=3,
    deadline=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    st.permutations(OPERATIONS), st.sampled_from(IDS),
    st.lists(st.sampled_from(USERS), min_size=2, max_size=2),
)  # fmt: skip
def test_no_operation_shows_the_canary(
    server: tuple[Memory, TestClient, dict[str, str]], rows: list[Operation], id: int,
    users: list[str | None],
) -> None:  # fmt: skip
    """Whatever user, id, attribute and words are named, in whatever order."""
    memory, client, key = server
    before = _mine(memory)
    (request, *_) = memory.conversation(user="a", id="c").requests()
    done = set()
    for row in rows:
        for user in ("a", None, *users):
            for call in _calls(row, user, id, request.id):
                answer = client.request(**call, headers=key)
                _searched(answer, (row.id, user, call))
                done.add((row.id, answer.status_code))
    assert {
        row.id for row in OPERATIONS if not row.owner and "id" not in row.params.model_fields
    } <= {name for name, status in done if status == 200} | {"correct", "forget", "plan_forget"}
    assert 429 not in {status for _, status in done}
    assert before == _mine(memory)


def test_no_other_route_shows_the_canary(
    server: tuple[Memory, TestClient, dict[str, str]],
) -> None:
    """Pages and their changes are refused, figures too; what is open says nothing."""
    memory, client, key = server
    before = _mine(memory)
    paths = {route.path for route in client.app.routes}  # type: ignore[attr-defined]
    paths = {path for path in paths if not path.startswith(START) or "openapi" in path}
    pages = {*PAGES, *CHANGES, *(f"{path.rstrip('/') or '/index'}.json" for path in (
        *PAGES, *CHANGES))}  # fmt: skip
    query = {"user": "a", "conversation": "c", "id": 1, "q": "code"}
    for path in sorted(paths | pages):
        for method in ("GET", "POST", "HEAD", "PUT", "OPTIONS"):
            for headers in (key, {}):
                answer = client.request(method, path, params=query, headers=headers)
                _searched(answer, (path, method))
                if path in pages:
                    assert answer.status_code in (401, 403), path
    assert {"/healthz", "/readyz", "/metrics"} <= paths
    assert before == _mine(memory)


def test_no_import_writes_for_another_user(
    server: tuple[Memory, TestClient, dict[str, str]],
) -> None:
    """A file that names somebody else is refused whole, wherever in it that is."""
    memory, client, key = server
    before, users = _mine(memory), memory.users()
    head = json.dumps({"format": "palimpsest export", "schema": 1, "policy": "managed"})
    stored = next(user for user in users if user != "a")
    rows = [
        {"table": "conversations", "user": stored, "name": "new", "last_turn": 0, "revision": 0,
         "retirements": 0, "created_at": "2030-01-01T00:00:00+00:00"},
        {"table": "counters", "user": "a", "name": "memory", "last": 99},
    ]  # fmt: skip
    for user in ("a", "b/../a", "b2/a", "", "A"):
        rows[1]["user"] = user
        body = "\n".join((head, *map(json.dumps, rows)))
        answer = client.post(f"{START}/import", content=body, headers=key)
        assert answer.status_code in ((403,) if user != "b/../a" else (200, 403)), answer.text
    assert before == _mine(memory)
    assert "a" not in {user for user in memory.users() if user not in users}


def test_a_tenant_reaches_its_own_users_alone() -> None:
    """Not a user that is called as the tenant is, nor a longer tenant's; its own go by their names."""
    with Memory.open(":memory:", counter=COUNTER) as memory:
        for stored in ("acme", "acme-two/ana", "acme/ana", "acme/x/y", "acmex", "/acme/ana"):
            talk = memory.conversation(user=stored, id="c")
            talk.append(user=f"I am {stored}.", assistant="Hi.")
            talk.remember(f"This is {stored}.")
        _, secret = memory.keys.add("app", tenant="acme")
        key = {"authorization": f"Bearer {secret}"}
        with client_of(memory) as client:
            listed = client.get(f"{START}/conversations", headers=key).json()
            rows = client.get(
                f"{START}/memories", params={"user": "ana", "conversation": "c"}, headers=key
            ).json()["memories"]["rows"]
            lines = client.get(f"{START}/export", headers=key).text.splitlines()

    assert ["ana", "x/y"] == [row["user"] for row in listed["talks"]["rows"]]
    assert [("This is acme/ana.", "ana")] == [(r["text"], r["scope"]["user"]) for r in rows]
    assert {"acme/ana", "acme/x/y"} == {json.loads(line)["user"] for line in lines[1:]}


@pytest.mark.parametrize("users", [["b"], ["b", "c"]])
def test_a_key_of_users_lists_and_exports_them_alone(users: list[str]) -> None:
    """An export without a name is of whom the key holds, and never of everybody."""
    with Memory.open(":memory:", counter=COUNTER) as memory:
        filled(memory)
        _, secret = memory.keys.add("app", users=users)
        key = {"authorization": f"Bearer {secret}"}
        with client_of(memory) as client:
            empty = client.get(f"{START}/export", headers=key)
            for user in users:
                memory.conversation(user=user, id="c").append(user="Hello.", assistant="Hi.")
            listed = client.get(f"{START}/conversations", headers=key).json()["talks"]["rows"]
            lines = client.get(f"{START}/export", headers=key).text.splitlines()

    assert 404 == empty.status_code
    assert CANARY not in empty.text
    assert "'a'" not in empty.text
    assert users == [row["user"] for row in listed]
    assert set(users) == {json.loads(line)["user"] for line in lines[1:]}
