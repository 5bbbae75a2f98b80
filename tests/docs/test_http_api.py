"""The page about the HTTP API says what the server does: its walk, its tables, its defaults."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from palimpsest import Memory
from palimpsest.errors import MEANINGS
from palimpsest.protocols import Tokenizer
from palimpsest.web.api.table import OPERATIONS
from palimpsest.web.limits import Limits
from palimpsest.web.meters import Meters
from tests.golden.made import ROOT

PAGE = (ROOT / "docs" / "http-api.md").read_text(encoding="utf-8")
WALK = PAGE.partition("```console\n")[2].partition("\n```")[0]
PORT = "127.0.0.1:8377"


def steps() -> list[tuple[str, str]]:
    """Each command with what it prints."""
    return re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n?)*)", WALK + "\n", re.MULTILINE)


def expected(told: str) -> str:
    """What is told, where three dots may be anything."""
    return ".*".join(map(re.escape, told.strip().split("...")))


def test_the_walk_is_what_curl_shows(tmp_path: Path, gemma: Tokenizer) -> None:
    """Every command of the page in one shell, against a server that was started as it says."""
    if shutil.which("curl") is None or shutil.which("bash") is None:
        pytest.skip("NOT CHECKED: there is no curl, or no bash, on this machine")
    palimpsest = Path(sys.executable).parent
    env = {**os.environ, "PALIMPSEST_STORE": str(tmp_path / "m.db"),
           "PATH": f"{palimpsest}{os.pathsep}{os.environ['PATH']}"}  # fmt: skip
    with subprocess.Popen(
        ["palimpsest", "serve", "--port", "0"], stdout=subprocess.PIPE, env=env, text=True
    ) as server:
        assert server.stdout is not None
        place = server.stdout.readline().split(" ")[0].removeprefix("http://").rstrip("/")
        script = "exec 2>&1\n" + "".join(f"{command}\necho '@@'\n" for command, _ in steps())
        shell = subprocess.run(
            ["bash", "-c", script.replace(PORT, place)], capture_output=True, text=True,
            env=env, cwd=tmp_path, check=True,
        )  # fmt: skip
        server.terminate()
    shown = [part.strip() for part in shell.stdout.split("@@\n")][:-1]

    assert len(steps()) == len(shown) > 12
    for (command, told), was in zip(steps(), shown, strict=True):
        assert re.fullmatch(expected(told), was, re.DOTALL), f"{command}\n{was}"
    assert "table" in (tmp_path / "ana.jsonl").read_text()


def test_the_table_names_every_operation() -> None:
    """No path is missing, and none is there that the server does not have."""
    table = PAGE.partition("## Operations")[2].partition("\n\n`POST /turns` stores")[0]
    told = {
        (method, path)
        for methods, path in re.findall(r"`((?:[A-Z]+(?:, )?)+) (/[^`]+)`", table)
        for method in methods.split(", ")
    }
    for end in re.findall(r"`(/(?:dismiss|undo))`", table):
        told.add(("POST", f"/verdicts/{{id}}{end}"))

    assert {(row.method, row.path) for row in OPERATIONS} == told


def test_the_table_of_errors_is_that_of_the_program() -> None:
    """Each code stands at its status; what no answer of a server says may be left out."""
    table = PAGE.partition("## Errors")[2].partition("## Keys")[0]
    rows = dict(re.findall(r"^\| (\d{3}) \| (.*) \|$", table, re.MULTILINE))
    for code, meaning in MEANINGS.items():
        assert f"`{code}`" in rows[str(meaning.http_status)], code


def test_the_limits_are_those_of_the_server() -> None:
    """The defaults of the options and what an import may take."""
    limits = Limits()
    rows = dict(re.findall(r"^\| `(--[a-z-]+)` \| ([\d,]+) \|", PAGE, re.MULTILINE))

    assert {"--body": f"{limits.body:,}", "--rate": f"{limits.rate:g}",
            "--at-once": str(limits.at_once)} == rows  # fmt: skip
    assert limits.body * 128 == limits.upload


def test_every_figure_is_told() -> None:
    """The names that Prometheus reads."""
    told = set(re.findall(r"^\| `(palimpsest_\w+)` \|", PAGE, re.MULTILINE))
    with Memory.open(":memory:") as memory:
        text = Meters(memory).text().decode()
    families = set(
        re.findall(r"^# TYPE (palimpsest_\w+) (?:counter|gauge|histogram)", text, re.MULTILINE)
    )

    assert {name for name in families if not name.endswith("_created")} == told
