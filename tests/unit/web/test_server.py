"""A real server on a loopback port: streams, limits on what runs at once, clients that leave."""

from __future__ import annotations

import json
import socket
import sqlite3
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from palimpsest import Memory
from palimpsest.web import gate
from palimpsest.web.api.table import START
from palimpsest.web.limits import Limits
from tests.property.test_isolation import COUNTER
from tests.support.http_server import serving

PATIENT = 120.0


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "m.db", counter=COUNTER) as held:
        yield held


def _key(memory: Memory, name: str, **held: Any) -> dict[str, str]:
    return {"authorization": f"Bearer {memory.keys.add(name, **held)[1]}"}


def test_more_at_once_than_a_key_may_is_refused_until_one_ends(memory: Memory) -> None:
    """A stream counts until its last byte; another key is not held up."""
    go, begun = threading.Event(), threading.Event()

    async def slow(request: Request) -> Response:
        def pieces() -> Iterator[bytes]:
            begun.set()
            yield b"first\n"
            go.wait(60)
            yield b"last\n"

        return StreamingResponse(pieces())

    one, two = _key(memory, "one", users=["ana"]), _key(memory, "two", users=["ana"])
    routes, limits = [Route("/v1/slow", slow)], Limits(at_once=1)
    with (
        serving(memory, routes=routes, limits=limits) as base,
        httpx.Client(base_url=base, timeout=PATIENT) as client,
    ):
        with client.stream("GET", "/v1/slow", headers=one) as answer:
            lines = answer.iter_lines()
            first = next(lines)
            refused = client.get(f"{START}/conversations", headers=one)
            other = client.get(f"{START}/conversations", headers=two)
            go.set()
            rest = list(lines)
        after = client.get(f"{START}/conversations", headers=one)

    assert begun.is_set()
    assert ("first", ["last"]) == (first, rest)
    assert (429, "too_many") == (refused.status_code, refused.json()["error"]["code"])
    assert refused.headers["retry-after"]
    assert (200, 200) == (other.status_code, after.status_code)


def test_clients_at_once_lose_nothing_and_cross_nothing(memory: Memory) -> None:
    """Eight keys write and read at the same time; each finds its own turns, all of them."""
    keys = {f"u{n}": _key(memory, f"k{n}", users=[f"u{n}"]) for n in range(8)}
    with serving(memory, limits=Limits(rate=0)) as base:

        def talk(user: str) -> list[str]:
            with httpx.Client(base_url=base, timeout=PATIENT, headers=keys[user]) as client:
                for number in range(10):
                    said = {"user": f"{user} says {number}", "assistant": "Ok."}
                    answer = client.post(f"{START}/turns/observe", params={"conversation": "c"},
                                         json=said)  # fmt: skip
                    assert 200 == answer.status_code, answer.text
                turns = client.get(f"{START}/turns", params={"conversation": "c"}).json()["turns"]
                return [turn["messages"][0]["content"] for turn in turns]

        with ThreadPoolExecutor(8) as pool:
            found = dict(zip(keys, pool.map(talk, keys), strict=True))

    assert {user: [f"{user} says {n}" for n in range(10)] for user in keys} == found


def test_an_export_streams_while_others_write(memory: Memory) -> None:
    """A client that reads slowly holds up nobody, and gets the state in which it asked."""
    talk = memory.conversation(user="ana", id="trip")
    for number in range(300):
        talk.append(user=f"Message {number}: {'words ' * 200}", assistant="Ok.")
    with (
        serving(memory) as base,
        httpx.Client(base_url=base, timeout=PATIENT) as client,
        client.stream("GET", f"{START}/export", params={"user": "ana"}) as answer,
    ):
        pieces = answer.iter_bytes(1_000)
        first = next(pieces)
        wrote = client.post(
            f"{START}/turns", params={"user": "ana", "conversation": "trip"},
            json={"user": "Later.", "assistant": "Ok."},
        )  # fmt: skip
        lines = (first + b"".join(pieces)).splitlines()

    assert 200 == wrote.status_code
    assert 300 == sum(json.loads(line).get("table") == "turns" for line in lines)


def test_a_client_that_leaves_in_the_middle_of_its_body_changes_nothing(
    memory: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    """Of an import and of a turn; the server goes on."""
    talk = memory.conversation(user="ana", id="trip")
    talk.append(user="Hello.", assistant="Hi.")
    with serving(memory) as base, httpx.Client(base_url=base, timeout=PATIENT) as client:
        lines = client.get(f"{START}/export", params={"user": "ana"}).content
        changed = lines.replace(b'"trip"', b'"other"')
        for path, kind, body in (
            ("/import", "application/x-ndjson", changed),
            ("/turns?user=bo&conversation=c", "application/json", b'{"user": "x", "assistant": "y"}'),
        ):  # fmt: skip
            port = int(base.rpartition(":")[2])
            with socket.create_connection(("127.0.0.1", port)) as half:
                head = (
                    f"POST {START}{path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
                    f"Content-Type: {kind}\r\nContent-Length: {len(body) + 10}\r\n\r\n"
                )
                half.sendall(head.encode() + body)
        answer = client.get("/healthz")
        time.sleep(0.2)
        users = memory.users()

    assert 200 == answer.status_code
    assert ("ana",) == users
    assert ("trip",) == memory.conversations("ana")
    assert "Traceback" not in caplog.text


def test_a_body_that_stands_still_is_given_up(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client that announces more than it sends holds no place for ever; it is told."""
    monkeypatch.setattr(gate, "BODY_SECONDS", 0.2)
    with (
        serving(memory) as base,
        socket.create_connection(("127.0.0.1", int(base.rpartition(":")[2]))) as client,
    ):
        client.settimeout(PATIENT)
        client.sendall(
            f"POST {START}/turns?user=ana&conversation=c HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            "Content-Type: application/json\r\nContent-Length: 1000\r\n"
            "Connection: close\r\n\r\n{".encode()
        )
        answer = b"".join(iter(lambda: client.recv(10_000), b"")).decode()
    assert "422" in answer.splitlines()[0]
    assert '"code":"input"' in answer
    assert "stopped coming" in answer
    assert () == memory.users()


def test_nothing_of_a_transfer_is_left_beside_the_store(memory: Memory, tmp_path: Path) -> None:
    """Neither an export nor an import, taken or refused, leaves a file or a record of one."""
    memory.conversation(user="ana", id="trip").append(user="Hello.", assistant="Hi.")
    before = {file.name for file in tmp_path.iterdir()}
    with serving(memory) as base, httpx.Client(base_url=base, timeout=PATIENT) as client:
        lines = client.get(f"{START}/export").content
        client.post(f"{START}/import", content=lines)
        client.post(f"{START}/import", content=b"no")

    assert before == {file.name for file in tmp_path.iterdir()}
    assert () == memory.audit("Nowhere-12345-Else").findings


@pytest.mark.parametrize("length", ["9" * 30, "-1", "x", "0x10"])
def test_a_length_that_lies_is_refused(length: str, memory: Memory) -> None:
    """An absurd announcement is no way around the limit."""
    with serving(memory) as base:
        port = int(base.rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port)) as raw:
            raw.settimeout(PATIENT)
            raw.sendall(
                f"POST {START}/turns?conversation=c HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
                f"Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n".encode()
            )
            said = raw.recv(65_536).decode()

    assert said.startswith(("HTTP/1.1 4", "HTTP/1.0 4")), said


def test_many_that_wait_to_write_keep_nobody_from_reading(memory: Memory, tmp_path: Path) -> None:
    """More changes wait for another process than a pool has threads; reads are answered."""
    talk = {"user": "ana", "conversation": "trip"}
    memory.conversation(user="ana", id="trip").remember("My hat is red.", attribute="hat")

    def change(number: int) -> int:
        said = {"user": f"My room is {number}.", "assistant": "Noted."}
        return httpx.post(
            f"{base}{START}/turns/observe", params={**talk, "conversation": f"c{number}"},
            json=said, timeout=PATIENT,
        ).status_code  # fmt: skip

    with (
        serving(memory, limits=Limits(rate=0)) as base,
        closing(sqlite3.connect(tmp_path / "m.db", isolation_level=None)) as other,
        ThreadPoolExecutor(60) as clients,
    ):
        other.execute("BEGIN IMMEDIATE")
        try:
            waiting = [clients.submit(change, number) for number in range(60)]
            time.sleep(2)
            for path in ("/readyz", f"{START}/memories", "/", "/metrics"):
                assert 200 == httpx.get(f"{base}{path}", params=talk, timeout=PATIENT).status_code
            assert not any(one.done() for one in waiting)
        finally:
            other.execute("ROLLBACK")
        assert [200] * 60 == [one.result() for one in waiting]
        assert 61 == len(memory.conversations("ana"))
