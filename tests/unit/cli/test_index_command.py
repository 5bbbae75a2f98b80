"""``palimpsest index``: rebuild, verify and status over a person's store."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from palimpsest import Memory, cli

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "m.db"
    with Memory.open(path) as memory:
        talk = memory.conversation(user="me", id="default")
        talk.remember("My bees are black.", attribute="bees")
        talk.correct("My bees are yellow.", attribute="bees")
        talk.remember("I moved to Oslo.")
    return path


@pytest.fixture
def run(store: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*arguments: str) -> tuple[int, str, str]:
        status = cli.run(["index", arguments[0], "--store", str(store), *arguments[1:]])
        out = capsys.readouterr()
        return status, out.out, out.err

    return call


def test_rebuild_makes_words_and_vectors_and_status_tells(run: Run) -> None:
    """Without an embedder words alone; with one every current memory, and it serves."""
    words = run("rebuild")
    before = run("status")
    both = run("rebuild", "--embedder", "hashed")
    after = run("status")

    assert (
        0,
        "words: 3 rows\nvectors: as they were; name an --embedder to make them anew\n",
        "",
    ) == words
    assert "2 current memories\nno embedder has made vectors here" in before[1]
    assert (0, "words: 3 rows\nvectors: 2 made, 0 were dropped\n", "") == both
    assert "hashed-384, 384 dimensions: 2 vectors (3,072 bytes), 0 wait; serves" in after[1]
    assert "2 made, 2 were dropped" in run("rebuild", "--embedder", "hashed(dimensions=64)")[1]


def test_words_are_rebuilt_without_the_loss_of_a_vector(run: Run) -> None:
    """Who names no embedder keeps the vectors that there are, and they still serve."""
    run("rebuild", "--embedder", "hashed")
    before = run("status")
    run("rebuild")
    assert before == run("status")


def test_a_table_that_somebody_dropped_is_made_again(run: Run, store: Path) -> None:
    """Vectors are derived: the table can be dropped, and a rebuild brings all back."""
    run("rebuild", "--embedder", "hashed")
    right = run("status")
    connection = sqlite3.connect(store)
    connection.execute("PRAGMA foreign_keys=OFF")
    connection.execute("DROP TABLE vectors")
    connection.close()
    run("rebuild")
    emptied = run("status")
    run("rebuild", "--embedder", "hashed")

    assert "0 vectors (0 bytes), 2 wait; does not serve yet" in emptied[1]
    assert right == run("status")
    assert 0 == run("verify")[0]


def test_verify_finds_what_is_wrong_and_rebuild_mends_it(run: Run, store: Path) -> None:
    """Exit status 1 with what is wrong and the command that helps; 0 after it."""
    run("rebuild", "--embedder", "hashed")
    right = run("verify")
    connection = sqlite3.connect(store)
    connection.execute("UPDATE vectors SET print = x'00' WHERE id = 3")
    connection.execute("DELETE FROM lexical WHERE words MATCH 'oslo'")
    connection.commit()
    connection.close()
    wrong = run("verify")
    run("rebuild", "--embedder", "hashed")

    assert (0, "lexical: 3 rows, all right\nhashed-384: 2 rows, all right\n", "") == right
    assert (1, "run `palimpsest index rebuild`\n") == (wrong[0], wrong[2])
    assert "lexical: 2 rows, 1 missing\nhashed-384: 2 rows, 1 wrong\n" == wrong[1]
    assert right == run("verify")


def test_json_says_the_same(run: Run) -> None:
    """Standard output holds JSON alone."""
    run("rebuild", "--embedder", "hashed")
    verified = json.loads(run("verify", "--json", "-")[1])
    status = json.loads(run("status", "--json", "-")[1])

    assert [("lexical", True), ("hashed-384", True)] == [
        (item["index"], item["ok"]) for item in verified["indexes"]
    ]
    assert (1, 2, [2]) == (
        status["schema"], status["memories"], [item["vectors"] for item in status["vectors"]],
    )  # fmt: skip


def test_errors_are_errors(run: Run, store: Path) -> None:
    """An unknown embedder and a store that is not there have exit status 2."""
    unknown = run("rebuild", "--embedder", "minilms")
    store.unlink()
    missing = run("verify")

    assert (2, 2) == (unknown[0], missing[0])
    assert "did you mean 'minilm'?" in unknown[2]
    assert "there is no store" in missing[2]


def test_the_embedder_may_come_from_a_settings_file(run: Run, tmp_path: Path) -> None:
    """``[recall] embedder`` is the default of every command that takes --config."""
    config = tmp_path / "palimpsest.toml"
    config.write_text("[recall]\nembedder = 'hashed(dimensions=64)'\n")

    assert "vectors: 2 made" in run("rebuild", "--config", str(config))[1]
    assert "hashed-64" in run("status")[1]
