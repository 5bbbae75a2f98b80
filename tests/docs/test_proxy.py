"""The commands, the code and the tables on the page about the proxy do what it says."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from palimpsest import Memory
from palimpsest.cli.serve import serve
from palimpsest.web.proxy import prepared, routes
from tests.golden.made import ROOT
from tests.support.upstream import Scripted, scripted

PAGE = (ROOT / "docs" / "proxy.md").read_text(encoding="utf-8")
CONSOLE = re.findall(r"```console\n\$ (.*)\n((?:.*\n)*?)```", PAGE)
PYTHON = re.findall(r"```python\n((?:.*\n)*?)```", PAGE)
CURL = re.findall(r"```bash\n(curl (?:.*\n)*?)```", PAGE)
UPSTREAM, PORT = "http://127.0.0.1:11434/v1", "8377"


@pytest.fixture(scope="module")
def up() -> Iterator[Scripted]:
    with scripted() as made:
        yield made


@pytest.fixture(scope="module")
def port() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return str(free.getsockname()[1])


@pytest.fixture(scope="module")
def served(
    tmp_path_factory: pytest.TempPathFactory, up: Scripted, port: str
) -> Iterator[tuple[Path, str]]:
    """The command of the page, with a free port and the scripted upstream in place of its own."""
    ((command, told),) = CONSOLE
    folder = tmp_path_factory.mktemp("served")
    words = shlex.split(_here(command, up, port))
    assert "palimpsest" == words[0]
    started = subprocess.Popen(
        [sys.executable, "-m", "palimpsest.cli", *words[1:], "--store", "memory.db"], cwd=folder,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    assert started.stdout is not None
    said = started.stdout.readline() + started.stdout.readline()
    try:
        assert _here(told, up, port) == said
        yield folder / "memory.db", said
    finally:
        started.send_signal(signal.SIGINT)
        _, err = started.communicate(timeout=60)
    assert (130, "interrupted") == (started.returncode, err.strip())


def _here(text: str, up: Scripted, port: str) -> str:
    return text.replace(UPSTREAM, up.url).replace(PORT, port)


def test_the_code_of_the_page_chats(served: tuple[Path, str], up: Scripted, port: str) -> None:
    """It prints the answer, and the turn is stored."""
    (code,) = PYTHON
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        names: dict[str, object] = {}
        exec(compile(_here(code, up, port), "docs/proxy.md", "exec"), names)
    names["client"].close()  # type: ignore[attr-defined]
    assert "An answer.\n" == printed.getvalue()
    assert "I am Ana, and I never eat meat." == up.messages[-1]["content"]


def test_the_curl_of_the_page_chats(served: tuple[Path, str], up: Scripted, port: str) -> None:
    """The header names the conversation, the field the user."""
    (command,) = CURL
    answer = subprocess.run(
        _here(command, up, port), shell=True, capture_output=True, text=True, check=True
    )
    assert '"An answer."' in answer.stdout
    with Memory.open(served[0]) as memory:
        late = time.monotonic() + 60
        while not memory.conversation(user="ana", id="dinner").last_turn():
            assert time.monotonic() < late
            time.sleep(0.01)
        assert ("dinner",) == memory.conversations("ana")


def test_the_options_of_the_page_are_those_of_the_command() -> None:
    """Every option that it names is one of serve's."""
    known = {name for option in serve.params for name in option.opts}
    named = set(re.findall(r"`(--[a-z-]+)", PAGE))
    assert "--upstream" in named
    assert named <= known


def test_the_reasons_and_the_limit_of_the_page_are_those_of_the_code() -> None:
    """Two reason codes beside the error table, and the seconds that memory may take."""
    assert {prepared.DEADLINE, prepared.RECALL} == {"deadline", "recall"}
    assert f"longer than {routes.MEMORY_SECONDS:g} seconds" in PAGE
