"""``palimpsest mcp`` over standard input and output, as a client's settings start it."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import anyio
import pytest
from mcp import Client, StdioServerParameters

from palimpsest import Memory
from tests.support.mcp_clients import Session, command, over_stdio, raw

SECRET = "Kestrel-90417-Quay"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "new" / "m.db"


def held(store: Path, user: str = "ada") -> list[str]:
    """The current memories that are in the file."""
    with Memory.open(store) as memory:
        rows = memory.conversation(user=user, id="default").visible()
        assert all(each.ok for each in memory.verify_indexes())
        return [row.text for row in rows if row.superseded_by is None]


def test_a_client_remembers_and_a_later_one_recalls(store: Path) -> None:
    """The store is made where there is none, and outlives the process; both protocol eras."""

    async def tell(client: Session) -> None:
        await client.data("remember", text="I live in Lyon.", attribute="home")

    async def ask(client: Session) -> str:
        found = await client.data("recall", query="Where do I live?")
        return str(found["memories"][0]["memory"]["text"])

    over_stdio(store, tell, mode="legacy")
    assert "I live in Lyon." == over_stdio(store, ask)


def test_what_is_forgotten_is_in_no_byte_of_the_store(store: Path, tmp_path: Path) -> None:
    """Plan, confirm, gone: no file of the store and no line of the log holds the value."""

    async def forget(client: Session) -> None:
        await client.data(
            "observe", user=f"My locker code is {SECRET}.", assistant=f"{SECRET}, ok."
        )
        # The control: until then it is seen in the bytes.
        assert any(SECRET.encode() in path.read_bytes() for path in store.parent.iterdir())
        plan = await client.data("plan_forget", value=SECRET)
        assert not plan["ambiguous"]
        assert any(SECRET in piece["text"] for piece in plan["pieces"])
        done = await client.data("forget", token=plan["token"])
        assert done["scrubbed"]
        assert [] == (await client.data("recall", query="locker code"))["memories"]

    log = tmp_path / "log"
    over_stdio(store, forget, log=log)
    files = [path for path in store.parent.iterdir() if path.is_file()]
    assert store in files
    for path in [*files, log]:
        assert SECRET.encode() not in path.read_bytes(), path


def test_lines_that_are_no_message_are_answered_and_the_server_goes_on(store: Path) -> None:
    """Garbage, invalid UTF-8, half a surrogate pair, deep nesting and 5 MB are survived."""
    with raw(store) as server:
        server.begin()
        server.send(b"no json")
        assert -32700 == server.line()["error"]["code"]
        server.send(b'{"jsonrpc": "2.0", "id": 7, "method": "\xff"}')
        assert -32700 == server.line()["error"]["code"]
        server.send(
            b'{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":"recall",'
            b'"arguments":{"query":"\\ud800"}}}'
        )
        refused = server.line()
        assert (77, -32700) == (refused["id"], refused["error"]["code"])
        for id in (b"null", b"1.5", b"[1]"):
            server.send(b'{"jsonrpc":"2.0","id":' + id + b',"method":"tools/list"}')
            assert "the id of a request" in server.line()["error"]["message"]
        server.send(b"[" * 100_000)
        assert -32700 == server.line()["error"]["code"]
        server.send(b'{"a": "' + b"x" * 5_000_000 + b'"}')
        assert "over 4,194,304 bytes" in server.line()["error"]["message"]
        server.send(b"")
        number = server.call("remember", text="I live in Lyon.")
        assert (number, False) == ((found := server.line())["id"], found["result"]["isError"])
        assert server.process.stdin is not None
        server.process.stdin.close()
        server.process.stdin = None
        assert (0, b"", b"") == server.ended()
    assert ["I live in Lyon."] == held(store)


def test_every_line_of_standard_output_is_a_message_and_no_log_holds_a_text(store: Path) -> None:
    """Also where a tool is unknown, arguments are wrong and a forget fails."""
    with raw(store) as server:
        server.begin()
        asked = [
            server.call("remember", text=SECRET),
            server.call("nothing", text=SECRET),
            server.call("remember", words=SECRET),
            server.call("forget", token=SECRET),
            server.ask("tools/call", name=[SECRET]),
            server.ask("resources/read", uri=f"palimpsest://{SECRET}"),
        ]
        answers = {line["id"] for line in (server.line() for _ in asked)}
        assert set(asked) == answers
        status, out, errors = server.interrupted()
    assert (130, b"") == (status, out)
    assert SECRET.encode() not in errors
    assert b"interrupted" in errors


def test_ctrl_c_in_the_middle_of_writes_leaves_whole_ones(store: Path) -> None:
    """What is in the file is a run of whole statements from the first one on."""
    with raw(store) as server:
        server.begin()
        for number in range(300):
            server.call("remember", text=f"Fact number {number} holds.")
        server.line()
        status, _, errors = server.interrupted()
    assert 130 == status, errors
    texts = held(store)
    assert 1 <= len(texts)
    assert len(set(texts)) == len(texts)
    assert all(text.startswith("Fact number ") and text.endswith(" holds.") for text in texts)


def test_ctrl_c_ends_a_server_whose_client_does_not_read(store: Path) -> None:
    """A full pipe holds nothing up."""
    with raw(store) as server:
        server.begin()
        for number in range(40):
            server.call("remember", text=f"Fact {number}: {'long ' * 700}")
        time.sleep(1)
        server.process.send_signal(signal.SIGINT)
        assert 130 == server.process.wait(timeout=20)


def test_a_client_that_is_killed_ends_its_server(store: Path) -> None:
    """The server of a client that is gone without a word stops, and the store is whole."""
    code = (
        "import anyio, sys\n"
        "from mcp import Client, StdioServerParameters\n"
        "async def main():\n"
        "    p = StdioServerParameters(command=sys.argv[1], args=sys.argv[2:])\n"
        "    async with Client(p) as client:\n"
        "        for number in range(10_000):\n"
        "            await client.call_tool('remember', {'text': f'Fact number {number} holds.'})\n"
        "            print(number, flush=True)\n"
        "anyio.run(main)\n"
    )
    marked = [*command(store), "--conversation", "default"]
    with subprocess.Popen(
        [sys.executable, "-c", code, *marked], stdout=subprocess.PIPE, start_new_session=True
    ) as client:
        assert client.stdout is not None
        for _ in range(5):
            client.stdout.readline()
        client.kill()
        client.wait()
    deadline = time.monotonic() + 20
    while _runs(store) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _runs(store)
    assert 5 <= len(held(store))


def _runs(store: Path) -> bool:
    """Whether a process works on this store; the path is this test's alone."""
    for place in Path("/proc").iterdir():
        try:
            if place.name.isdigit() and str(store).encode() in (place / "cmdline").read_bytes():
                return True
        except OSError:
            continue
    return False


def test_two_clients_at_once_lose_nothing(store: Path) -> None:
    """Two servers on one store: every statement is there once, with an id of its own."""

    async def main() -> list[int]:
        ids: list[int] = []

        async def tell(name: str) -> None:
            first, *rest = command(store)
            async with Client(StdioServerParameters(command=first, args=rest)) as client:
                for number in range(25):
                    text = f"{name} says number {number}."
                    made = await client.call_tool("remember", {"text": text})
                    assert not made.is_error, made
                    ids.append(made.structured_content["memory"]["id"])

        async with anyio.create_task_group() as group:
            group.start_soon(tell, "Ana")
            group.start_soon(tell, "Bo")
        return ids

    ids = anyio.run(main)
    assert 50 == len(set(ids))
    assert {f"{name} says number {n}." for name in ("Ana", "Bo") for n in range(25)} == set(
        held(store)
    )


def test_a_file_that_is_no_store_is_told_on_standard_error(tmp_path: Path) -> None:
    """Exit status 2 and the name of the file; standard output stays empty."""
    path = tmp_path / "notes.txt"
    path.write_text("Not a database, but somebody's notes.")
    found = subprocess.run(command(path), input=b"", capture_output=True, timeout=120, check=False)
    assert (2, b"") == (found.returncode, found.stdout)
    assert str(path).encode() in found.stderr
