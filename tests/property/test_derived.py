"""Law 7: rows of words, vectors and notes are derived; without them nothing is lost.

A random history is played into a file. Then everything derived is dropped behind the engine's
back and made anew, by a process that has never seen it, and every request is the same again.
"""

from __future__ import annotations

import sqlite3
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from palimpsest import Budget, Memory
from palimpsest.ledger import Request
from palimpsest.protocols import Tokenizer
from tests.support.histories import ATTRIBUTES, Step, histories, played

STRATEGIES = ("seats", "seats(limit=5, quota=60)", "managed", "notes", "hybrid")
NOW = "2026-06-01T00:00:00+00:00"
BUDGET = Budget(window=900, answer=0)
DERIVED = ("lexical", "lexical_users", "vectors", "vector_changes")


def opened(path: Path, tokenizer: Tokenizer, embedder: str | None = "hashed") -> Memory:
    return Memory.open(
        path, tokenizer=tokenizer, embedder=embedder, indexing="inline", clock=lambda: NOW
    )


def requests(memory: Memory, questions: list[str]) -> list[Request]:
    talk = memory.conversation(user="u", id="c")
    return [
        talk.request(question, budget=BUDGET, strategy=strategy, record=False)
        for question in questions
        for strategy in STRATEGIES
    ]


def dropped(path: Path) -> None:
    """Empty every derived table, as nothing in the engine would."""
    with sqlite3.connect(path) as other:
        for table in DERIVED:
            other.execute(f"DELETE FROM {table}")
        assert [(0,)] == other.execute("SELECT count(*) FROM lexical").fetchall()
    other.close()


@settings(
    deadline=None, max_examples=12,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)  # fmt: skip
@given(
    history=histories(40),
    asked=st.lists(st.sampled_from((*ATTRIBUTES, "VAL-0001", "Noted")), max_size=3, unique=True),
)
def test_what_is_derived_may_be_lost(
    chatml: Tokenizer, history: list[Step], asked: list[str]
) -> None:
    """Requests, their tokens and their ledgers are the same after a rebuild."""
    questions = [f"What is my {word}?" for word in asked] + ["What have we decided?"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.db"
        with opened(path, chatml) as memory:
            played(memory, history, tools=True)
            before = requests(memory, questions)
        dropped(path)
        with opened(path, chatml) as memory:
            memory.rebuild_indexes()
            assert all(found.ok for found in memory.verify_indexes())
            assert before == requests(memory, questions)


def test_the_dropping_is_seen(chatml: Tokenizer, tmp_path: Path) -> None:
    """The control, by words alone: between the drop and the rebuild the request is another."""
    path = tmp_path / "m.db"
    with opened(path, chatml, None) as memory:
        talk = memory.conversation(user="u", id="c")
        talk.remember("The ferry leaves at noon.")
        for number in range(40):
            talk.remember(f"Locker {number} is painted in colour {number}.")
        (before, *_) = requests(memory, ["When does the ferry leave?"])
    dropped(path)
    with opened(path, chatml, None) as memory:
        (between, *_) = requests(memory, ["When does the ferry leave?"])
        assert not all(found.ok for found in memory.verify_indexes())
        memory.rebuild_indexes()
        (after, *_) = requests(memory, ["When does the ferry leave?"])
    assert before == after != between
