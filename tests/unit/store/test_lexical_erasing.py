"""The words of a deleted row are in no byte of the file, on a build that does not erase."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
OLDER, NEWER = (), ("--newer",)


def played(folder: Path, seeds: str, *flags: str) -> list[dict[str, Any]]:
    """What some histories in a process of their own reported."""
    if "--newer" in flags and importlib.util.find_spec("pysqlite3") is None:
        pytest.skip("NOT CHECKED against a newer SQLite: pysqlite3 is not installed here")
    command = [sys.executable, "-m", "tests.support.lexical_erasing", str(folder), seeds, *flags]
    made = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert 0 == made.returncode, made.stderr
    reports: list[dict[str, Any]] = json.loads(made.stdout)
    assert all(report["before"] > 0 for report in reports), "the scan must see what is there"
    return reports


@pytest.mark.parametrize("flags", [OLDER, NEWER], ids=["own SQLite", "newer SQLite"])
def test_forgotten_words_leave_the_index(tmp_path: Path, flags: tuple[str, ...]) -> None:
    """With secure_delete forced off first, and with either way of erasing the index.

    Forgotten, replaced and rewritten words count; the index is whole after it.
    """
    for found in played(tmp_path, "0,1,2,3,4,5", *flags):
        kept = {key: found[key] for key in ("after", "closed", "searched", "whole")}
        assert {"after": 0, "closed": 0, "searched": 0, "whole": True} == kept
        assert flags != NEWER or found["version"][:2] >= [3, 42]


@pytest.mark.parametrize("flags", [OLDER, NEWER], ids=["own SQLite", "newer SQLite"])
def test_without_what_erases_the_words_are_found(tmp_path: Path, flags: tuple[str, ...]) -> None:
    """The control: the same history with erasing turned off leaves words behind."""
    (found,) = played(tmp_path, "1", *flags, "--careless")
    assert found["closed"] > 0
