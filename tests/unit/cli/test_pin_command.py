"""``palimpsest pin`` and ``unpin``: a mark that the next request sees."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from palimpsest import Memory, cli

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with a replaced memory and a current one."""
    path = tmp_path / "memory.db"
    with Memory.open(path) as memory:
        talk = memory.conversation(user="me", id="default")
        talk.remember("I drink coffee.", attribute="drink")
        talk.correct("I drink tea.", attribute="drink")
    return path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], store: Path) -> Run:
    def call(*arguments: str) -> tuple[int, str, str]:
        status = cli.run([arguments[0], "--store", str(store), *arguments[1:]])
        out = capsys.readouterr()
        return status, out.out, out.err

    return call


def pinned(store: Path) -> list[bool]:
    with Memory.open(store) as memory:
        talk = memory.conversation(user="me", id="default")
        return [row.pinned for row in talk.visible()]


@pytest.mark.parametrize("name", ["2", "#2"])
def test_a_pin_is_set_and_taken_away(run: Run, store: Path, name: str) -> None:
    """By the id as it is listed; each command shows the memory as it stands then."""
    status, out, _ = run("pin", name)
    assert (0, [False, True]) == (status, pinned(store))
    assert "current, pinned" in out
    status, out, _ = run("unpin", name)
    assert (0, [False, False]) == (status, pinned(store))
    assert "pinned" not in out


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("1", "memory 1 is not current: memory 2 replaced it"),
        ("7", "there is no memory 7"),
        ("tea", "'tea' is not the id of a memory; 'palimpsest memories' lists them"),
        ("²", "is not the id of a memory"),
    ],
)
def test_what_cannot_be_pinned_is_said(run: Run, store: Path, name: str, error: str) -> None:
    """A replaced memory, one that is not there, and what is no id."""
    status, _, err = run("pin", name)
    assert (2, True) == (status, error in err)
    assert [False, False] == pinned(store)


def test_a_store_that_is_not_there_is_not_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As with every command that only works on what is there."""
    path = tmp_path / "none.db"
    assert 2 == cli.run(["pin", "--store", str(path), "1"])
    assert not path.exists()
    assert "there is no store" in capsys.readouterr().err
