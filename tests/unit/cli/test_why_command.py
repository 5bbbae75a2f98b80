"""``palimpsest why`` and ``forgotten-corners``: seated and unseated are answered alike."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from palimpsest import Budget, Memory, cli
from palimpsest.tokens.local import LocalTokenizer

Run = Callable[..., tuple[int, str, str]]
BUDGET = Budget(window=3000, answer=0)


@pytest.fixture
def store(tmp_path: Path, chatml: LocalTokenizer) -> tuple[Path, list[str]]:
    """A store of eight facts (one replaced), and the ids of two requests, oldest first."""
    path = tmp_path / "memory.db"
    with Memory.open(path, tokenizer=chatml) as memory:
        talk = memory.conversation(user="me", id="default")
        for number in range(1, 8):
            talk.append(user=f"Town {number} is near.", assistant="Noted.")
            talk.remember(f"Town {number} is near.", attribute=f"town-{number}", turn=number)
        talk.correct("Town 2 is far.", attribute="town-2")
        made = [
            talk.request("Which?", budget=BUDGET, strategy=strategy).id
            for strategy in ("seats(limit=3, quota=900)", "managed(quota=900)")
        ]
        talk.forget(attribute="town-7")
        memory.conversation(user="me", id="other").remember("Elsewhere.")
    return path, made


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], store: tuple[Path, list[str]]) -> Run:
    def call(*arguments: str) -> tuple[int, str, str]:
        status = cli.run([arguments[0], "--store", str(store[0]), *arguments[1:]])
        out = capsys.readouterr()
        return status, out.out, out.err

    return call


def test_a_request_lists_every_memory_with_its_reason(
    run: Run, store: tuple[Path, list[str]]
) -> None:
    """Texts come from the store; one that was forgotten since has none."""
    status, out, _ = run("why", store[1][0], "--json", "-")
    found = json.loads(out)
    fates = {m["id"]: (m["seated"], m["reason"]) for m in found["memories"]}
    assert 0 == status
    assert {6: (True, "quota"), 7: (True, "quota"), 8: (True, "quota")} == {
        id: fate for id, fate in fates.items() if fate[0]
    }
    assert ((False, "superseded"), (False, "no-seat")) == (fates[2], fates[1])
    assert "ledger" not in found["request"]
    status, out, _ = run("why", store[1][0])
    assert 0 == status
    assert "forgotten" in next(line for line in out.split("\n") if line.startswith("#7"))
    assert "no-seat" in next(line for line in out.split("\n") if line.startswith("#1 "))


def test_without_a_name_the_newest_request_is_meant(
    run: Run, store: tuple[Path, list[str]]
) -> None:
    """Nobody types an id to see what was just sent."""
    assert run("why")[1].startswith(f"request {store[1][1]}")


@pytest.mark.parametrize("name", ["1", "#1"])
def test_a_memory_says_where_it_stood_and_why(
    run: Run, store: tuple[Path, list[str]], name: str
) -> None:
    """Newest request first, seated or not."""
    _, out, _ = run("why", name, "--json", "-")
    found = json.loads(out)
    assert [(store[1][1], "seated"), (store[1][0], "no-seat")] == [
        (at["request"]["id"], at["entry"]["reason"]) for at in found["requests"]
    ]
    assert (2, 1) == (found["count"]["candidate"], found["count"]["served"])
    assert "Town 1 is near." in run("why", name)[1]


def test_a_forgotten_memory_keeps_its_places_and_no_text(run: Run) -> None:
    """What was said of it is answered without what it said."""
    status, out, _ = run("why", "7")
    assert 0 == status
    assert out.startswith("memory #7  forgotten")
    assert "Town 7" not in out


def test_unknown_names_are_refused_with_near_ones(run: Run, store: tuple[Path, list[str]]) -> None:
    """A request by its nearest ids, a memory by the ids there are or by its conversation."""
    for name, part in (
        (store[1][0][:6] + "zz", store[1][0]), ("99", "run to #9"), ("9", "'other'"),
        ("0", "there is no memory #0"),
    ):  # fmt: skip
        status, out, error = run("why", name)
        assert (2, "") == (status, out)
        assert part in error, name


def test_forgotten_corners_are_what_never_came_up(run: Run) -> None:
    """Memories that were candidates and never served; with --recalled, served for rank too."""
    found = json.loads(run("forgotten-corners", "--json", "-")[1])
    assert [] == found["memories"]
    found = json.loads(run("forgotten-corners", "--recalled", "--json", "-")[1])
    assert (2, 0) == (found["counted"], found["degraded"])
    assert [(1, 2, 1), (3, 2, 1)] == [
        (m["id"], m["candidate"], m["served"]) for m in found["memories"]
    ][:2]
    assert "0 memories never came up" in run("forgotten-corners")[1]


def test_a_store_that_does_not_exist_is_not_made(tmp_path: Path) -> None:
    """A question makes no file."""
    path = tmp_path / "none.db"
    assert 2 == cli.run(["why", "--store", str(path)])
    assert not path.exists()


@pytest.mark.parametrize("columns", ["60", "80"])
@pytest.mark.parametrize("command", ["why", "why 1", "forgotten-corners"])
def test_a_narrow_terminal_or_a_pipe_cuts_no_id_no_number_and_no_reason(
    command: str, columns: str, run: Run, monkeypatch: pytest.MonkeyPatch, chatml: LocalTokenizer,
    store: tuple[Path, list[str]],
) -> None:  # fmt: skip
    """The next command is given them; only words are broken, over more lines."""
    long = "The bees of the seventh hive behind the old orchard wall are black and calm. "
    with Memory.open(store[0], tokenizer=chatml) as memory:
        talk = memory.conversation(user="me", id="default")
        for number in range(95):
            talk.remember(f"{long}{number}", attribute=f"long-{number}")
        made = talk.request("Which?", budget=BUDGET, strategy="seats(limit=3, quota=900)").id
    monkeypatch.setenv("COLUMNS", columns)
    status, out, _ = run(*command.split())

    words = out.split()
    told = {
        "why": {"#101", "no-seat", "memory", "reason", "tokens"},
        "why 1": {made, "no-seat", "request", "reason", "tokens"},
        "forgotten-corners": {"#101", "candidate", "served", "recalled", "kind"},
    }[command]
    assert (0, set()) == (status, told - set(words))
    assert "\u2026" not in out or command == "why 1"
