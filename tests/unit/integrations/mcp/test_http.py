"""``palimpsest mcp --http``: streamable HTTP on this machine, through a real server and client."""

from __future__ import annotations

import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import anyio
import httpx
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from palimpsest import Memory, cli
from tests.support.mcp_clients import Session, command, over

SECRET = "Kestrel-90417-Quay"
CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "recall", "arguments": {"query": "locker"}}}  # fmt: skip
JSON = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
Running = tuple[subprocess.Popen[str], str]


@contextmanager
def served(store: Path, *more: str) -> Iterator[Running]:
    """A server that runs, and its address."""
    made = subprocess.Popen(
        command(store, "--http", "--port", "0", *more), stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    try:
        assert made.stdout is not None
        yield made, made.stdout.readline().split(" ")[0]
    finally:
        if made.poll() is None:
            made.kill()
        made.communicate()


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "m.db"
    with Memory.open(path) as memory:
        memory.conversation(user="ada", id="default").remember(f"My locker code is {SECRET}.")
    return path


def test_two_clients_use_the_tools_and_ctrl_c_ends_it(store: Path) -> None:
    """Both eras of the protocol, at once; a forget reaches the bytes; the log holds no text."""

    async def tell(address: str) -> None:
        async def one(name: str, mode: str) -> None:
            async with Client(address, mode=mode) as client:
                for number in range(10):
                    said = {"text": f"{name} says number {number}."}
                    assert not (await client.call_tool("remember", said)).is_error

        async with anyio.create_task_group() as group:
            group.start_soon(one, "Ana", "auto")
            group.start_soon(one, "Bo", "legacy")

    async def forget(client: Session) -> int:
        plan = await client.data("plan_forget", description="the locker code")
        assert SECRET in plan["meant"][0]["memory"]["text"]
        await client.data("forget", token=plan["token"])
        return int((await client.data("memories"))["found"])

    with served(store) as (server, address):
        anyio.run(tell, address)
        assert 20 == over(address, forget)
        server.send_signal(signal.SIGINT)
        out, errors = server.communicate(timeout=30)
    assert (130, "", "interrupted") == (server.returncode, out, errors.strip())
    for path in store.parent.iterdir():
        assert SECRET.encode() not in path.read_bytes(), path


def test_another_site_reads_and_changes_nothing(store: Path) -> None:
    """A foreign Host or Origin, on any method, is refused; so is what is too large."""
    with served(store) as (server, address), httpx.Client(headers=JSON) as client:
        own = address.removeprefix("http://").partition("/")[0]
        port = own.rpartition(":")[2]
        refused = [
            {"host": "evil.example"}, {"host": f"evil.example:{port}"}, {"host": "127.0.0.1:1"},
            {"host": f"127.0.0.1.evil.example:{port}"}, {"origin": "https://evil.example"},
            {"origin": "null"}, {"origin": f"http://127.0.0.1.evil.example:{port}"},
            {"origin": f"http://127.0.0.1:{port}@evil.example"}, {"origin": "http://127.0.0.1:1"},
        ]  # fmt: skip
        versions = (
            {},
            {"mcp-protocol-version": "2025-11-25"},
            {"mcp-protocol-version": "2026-07-28"},
        )
        for headers in refused:
            for version in versions:
                for method in ("POST", "GET", "DELETE"):
                    got = client.request(method, address, headers={**headers, **version}, json=CALL)
                    assert got.status_code in (403, 421), (headers, method, got.text)
                    assert SECRET not in got.text
        large = client.post(address, content=b'{"a": "' + b"x" * (5 << 20) + b'"}')
        assert 413 == large.status_code
        wrong = client.post(address, content=b"{}", headers={"content-type": "text/plain"})
        assert wrong.status_code in (400, 415)
        assert 404 == client.get(address.replace("/mcp", "/")).status_code
        for body in (b"no json", b"\xff", b'{"a": "\\ud800"}', b"[" * 50_000):
            assert client.post(address, content=body).status_code in (400, 422)

        async def ask(session: Session) -> int:
            return int((await session.data("recall", query="locker"))["found"])

        assert 1 == over(address, ask)
        server.send_signal(signal.SIGINT)
        _, errors = server.communicate(timeout=30)
    assert SECRET not in errors
    assert "evil" not in errors


def test_a_port_that_is_taken_is_told(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit status 2, the port and the reason; a port without --http is refused too."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        taken = cli.run(["mcp", "--http", "--port", str(port), "--store", str(store)])
    alone = cli.run(["mcp", "--port", "8000", "--store", str(store)])
    err = capsys.readouterr().err

    assert (2, 2) == (taken, alone)
    assert f"error: --port {port}: cannot be listened on" in err
    assert "error: --port: there is a port only with --http" in err


def test_once_there_are_keys_one_that_holds_the_user_is_asked_for(store: Path) -> None:
    """No key, a wrong one, a revoked one and one of another user or tenant reach no tool."""
    with Memory.open(store) as memory:
        keys = memory.keys
        mine, gone = (keys.add(name, users=["ada", "cy"])[1] for name in ("mine", "gone"))
        other = keys.add("other", users=["bo"])[1]
        tenant = keys.add("tenant", tenant="ada")[1]
        every = keys.add("every")[1]
        keys.revoke("gone")

    async def ask(session: Session) -> int:
        return int((await session.data("recall", query="locker"))["found"])

    def with_key(address: str, key: str) -> int:
        async def main() -> int:
            headers = {"authorization": f"Bearer {key}"}
            async with (
                create_mcp_http_client(headers) as http,
                Client(streamable_http_client(address, http_client=http)) as client,
            ):
                return await ask(Session(client))

        return anyio.run(main)

    with served(store) as (server, address):
        for key in (mine, every):
            assert 1 == with_key(address, key)
        with httpx.Client(headers=JSON) as client:
            refused = {
                "": 401, "Bearer x": 401, f"Bearer {gone}": 401, f"Bearer {mine}x": 401,
                f"Bearer {other}": 403, f"Bearer {tenant}": 403,
            }  # fmt: skip
            for sent, status in refused.items():
                for version in ("2025-11-25", "2026-07-28"):
                    headers = {"authorization": sent, "mcp-protocol-version": version}
                    got = client.post(address, json=CALL, headers=headers)
                    assert status == got.status_code, (sent, got.text)
                    assert {401: "unauthorized", 403: "forbidden"}[status] == (
                        got.json()["error"]["code"]
                    )
                    assert SECRET not in got.text
            # A key is no way around the check of who asks from where.
            evil = {"authorization": f"Bearer {mine}", "origin": "https://evil.example"}
            assert 403 == client.post(address, json=CALL, headers=evil).status_code
        server.send_signal(signal.SIGINT)
        _, errors = server.communicate(timeout=30)
    for secret in (SECRET, mine, other, every):
        assert secret not in errors
