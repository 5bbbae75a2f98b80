"""palimpsest serve: one process, this machine only, no memory text in what it prints."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo

from palimpsest import Memory, cli
from palimpsest.cli.serve import bound
from palimpsest.cli.store_options import default_path
from palimpsest.errors import InputError

SECRET = "Kestrel-90417-Quay"
HERE = {"user": "ada", "conversation": "trip"}
Serve = Callable[..., tuple[subprocess.Popen[str], str]]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "m.db"
    with Memory.open(path) as memory:
        memory.conversation(user="ada", id="trip").remember(f"My locker code is {SECRET}.")
    return path


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts servers as a user does; gives each with its address."""
    running = []

    def start(store: Path, port: int = 0, *more: str) -> tuple[subprocess.Popen[str], str]:
        command = [sys.executable, "-m", "palimpsest.cli", "serve", "--port", str(port),
                   "--store", str(store), *more]  # fmt: skip
        made = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            start_new_session=True,
        )  # fmt: skip
        running.append(made)
        assert made.stdout is not None
        return made, made.stdout.readline().split(" ")[0]

    yield start
    for made in running:
        if made.poll() is None:
            made.kill()
        made.communicate()


def test_ctrl_c_ends_it_with_130_and_its_log_holds_no_text(serve: Serve, store: Path) -> None:
    """Pages, refusals, failed forms and unknown paths print nothing of a user's."""
    server, address = serve(store)
    with httpx.Client(base_url=address) as client:
        seen = client.get("/memories", params=HERE)
        refused = client.get("/", headers={"host": f"{SECRET}.example"})
        failed = client.post("/memory/correct", data={**HERE, "id": 1, "text": SECRET})
        unknown = client.get("/nowhere", params={"q": SECRET})
    server.send_signal(signal.SIGINT)
    out, err = server.communicate(timeout=30)

    assert SECRET in seen.text
    assert (403, 422, 404) == (refused.status_code, failed.status_code, unknown.status_code)
    assert 130 == server.returncode
    assert "interrupted" == err.strip()
    assert SECRET not in out


def test_a_port_that_is_taken_is_told(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit status 2, the port and the reason, and what to do."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        status = cli.run(["serve", "--port", str(port), "--store", str(store)])
    err = capsys.readouterr().err

    assert 2 == status
    assert f"error: --port {port}: cannot be listened on (Address already in use)" in err
    assert "0 for any that is free" in err


def test_a_file_that_is_no_store_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is served of a foreign file, and it stays as it was."""
    path = tmp_path / "notes.txt"
    path.write_text("Not a database, but somebody's notes.")

    assert 2 == cli.run(["serve", "--port", "0", "--store", str(path)])
    assert str(path) in capsys.readouterr().err
    assert "Not a database, but somebody's notes." == path.read_text()


def test_a_missing_store_is_begun(serve: Serve, tmp_path: Path) -> None:
    """The pages can be open before the first conversation is."""
    path = tmp_path / "new" / "m.db"
    _, address = serve(path)

    assert "Nothing is stored yet" in httpx.get(address).text


@pytest.mark.parametrize("module", ["prometheus_client", "starlette", "uvicorn"])
def test_without_the_extra_the_install_line_is_told(
    module: str, store: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever installed the core alone reads what to install."""
    for name in [name for name in sys.modules if name.startswith("palimpsest.web.")]:
        monkeypatch.delitem(sys.modules, name)
    for name in [name for name in sys.modules if name.split(".")[0] == module]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)

    assert 2 == cli.run(["serve", "--port", "0", "--store", str(store)])
    err = capsys.readouterr().err
    assert "pip install 'palimpsest-memory[web]'" in err
    assert repr(module) in err


def test_two_servers_share_a_store_that_others_write_to(serve: Serve, store: Path) -> None:
    """What another process writes is on the next page of both; neither waits for the other."""
    places = [serve(store)[1] for _ in range(2)]
    with Memory.open(store) as memory:
        talk = memory.conversation(user="ada", id="trip")
        for number in range(20):
            talk.remember(f"Fact number {number}.")
            pages = [httpx.get(f"{place}memories.json", params=HERE).json() for place in places]

            assert [number + 2] * 2 == [page["memories"]["found"] for page in pages]


def test_a_page_is_read_while_another_process_holds_the_write_lock(
    serve: Serve, store: Path
) -> None:
    """A reader waits for no writer; a form that cannot write is told, and not with a traceback."""
    _, address = serve(store)
    code = (
        "import sqlite3, sys; db = sqlite3.connect(sys.argv[1], isolation_level=None); "
        "db.execute('BEGIN IMMEDIATE'); print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(store)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        text=True,
    ) as writer:  # fmt: skip
        assert writer.stdout is not None
        assert "held\n" == writer.stdout.readline()
        page = httpx.get(f"{address}memories", params=HERE, timeout=20)
        writer.communicate("")

    assert 200 == page.status_code
    assert SECRET in page.text


def test_ctrl_c_in_the_middle_of_an_upload_changes_nothing(serve: Serve, store: Path) -> None:
    """130 within the time that answers may still take, without a traceback."""
    server, address = serve(store)
    port = int(address.rstrip("/").rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port)) as half:
        half.sendall(
            f"POST /api/v1/import HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
            'Content-Length: 9999\r\n\r\n{"format"'.encode()
        )
        assert 200 == httpx.get(f"{address}healthz").status_code
        server.send_signal(signal.SIGINT)
        _, err = server.communicate(timeout=60)

    assert 130 == server.returncode
    assert "Traceback" not in err
    assert "interrupted" == err.strip().splitlines()[-1]
    with Memory.open(store) as memory:
        assert ("ada",) == memory.users()


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost"])
def test_small_answers_are_sent_at_once(host: str) -> None:
    """asyncio switches the delay of small packets off only where the protocol is named."""
    try:
        made = bound(host, 0)
    except InputError:
        pytest.skip(f"NOT CHECKED: this machine has no {host}")
    with made:
        assert socket.IPPROTO_TCP == made.proto


def test_a_language_is_one_that_is_installed(
    serve: Serve, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """A catalogue in the folder of a person's memories is spoken; another language is told."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    made = Catalog(locale="de")
    made.add("Conversations", "Gespräche")
    place = default_path().parent / "locale" / "de" / "LC_MESSAGES"
    place.mkdir(parents=True)
    with (place / "messages.mo").open("wb") as file:
        write_mo(file, made)
    _, address = serve(store, 0, "--language", "de")
    page = httpx.get(address).text
    status = cli.run(["serve", "--port", "0", "--store", str(store), "--language", "fr"])
    err = capsys.readouterr().err

    assert "<h1>Gespräche</h1>" in page
    assert '<html lang="de">' in page
    assert 2 == status
    assert "there are: de, en" in err
