"""Every command on the page about the MCP server starts it, and a real client lists the tools."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from palimpsest.integrations.mcp.tools import TOOLS
from tests.golden.made import ROOT
from tests.support.mcp_clients import SCRIPT, Session, over, over_stdio

PAGE = (ROOT / "docs" / "mcp.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)\n```", PAGE, re.DOTALL)


def _entries() -> list[dict[str, Any]]:
    """The command and the arguments of each settings file on the page."""
    read = {"json": json.loads, "toml": tomllib.loads}
    found = []
    for kind, text in BLOCKS:
        if kind in read:
            (servers,) = read[kind](text).values()
            found.append(servers["palimpsest"])
    return found


def _lines() -> list[list[str]]:
    return [shlex.split(text) for kind, text in BLOCKS if kind == "sh"]


async def _names(client: Session) -> list[str]:
    return [tool.name for tool in (await client.client.list_tools()).tools]


def test_the_settings_on_the_page_start_a_server_that_lists_its_tools(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of them name one command; started as a client starts it, it lists every tool."""
    monkeypatch.setenv("PALIMPSEST_STORE", str(tmp_path / "m.db"))
    entries = _entries()
    commands = {(entry["command"], *entry["args"]) for entry in entries}
    commands |= {tuple(line[line.index("--") + 1 :]) for line in _lines() if "--" in line}
    assert 3 == len(entries)
    assert {("palimpsest", "mcp", "--user", "me")} == commands
    for name, *rest in commands:
        assert "palimpsest" == name
        assert list(TOOLS) == over_stdio(tmp_path / "m.db", _names, words=[SCRIPT, *rest])
    assert (tmp_path / "m.db").exists()


def test_the_http_command_on_the_page_serves_the_address_on_the_page(tmp_path: Path) -> None:
    """But for the port, which may be taken where the tests run."""
    (line,) = [line for line in _lines() if "--http" in line]
    (added,) = [line for line in _lines() if "http" in line]
    assert line[line.index("--port") + 1] in added[-1]
    line[line.index("--port") + 1] = "0"
    with subprocess.Popen(
        [SCRIPT, *line[1:], "--store", str(tmp_path / "m.db")], stdout=subprocess.PIPE, text=True,
        start_new_session=True,
    ) as server:  # fmt: skip
        try:
            assert server.stdout is not None
            address = server.stdout.readline().split(" ")[0]
            assert list(TOOLS) == over(address, _names)
        finally:
            server.kill()
    assert re.sub(r":\d+/", ":8378/", address) == added[-1]


def test_the_table_on_the_page_names_every_tool_and_what_it_changes() -> None:
    """In the order of the server; a tool that changes nothing is told to the client as such."""
    rows = re.findall(r"^\| `(\w+)` \| .* \| (.*) \|$", PAGE, re.MULTILINE)
    assert list(TOOLS) == [name for name, _ in rows]
    for name, changes in rows:
        tool = TOOLS[name]
        kept = (changes == "nothing", changes not in ("nothing", "adds"))
        assert (tool.reads, tool.replaces) == kept, name
