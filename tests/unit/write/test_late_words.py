"""Old words that come in late overrule nothing that was said after them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from palimpsest import Memory
from tests.support.chat_log_files import dialogue, document
from tests.support.log_imports import taken
from tests.support.proposing import Proposing


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A store with a global memory of 2026, and a log of 2023 that waits to be read."""
    with Memory.open(tmp_path / "m.db", clock=lambda: "2026-11-30T12:00:00+00:00") as held:
        talk = held.conversation(user="me", id="today")
        talk.observe(user="I live in Oslo.", assistant="Good.")
        talk.reflect(extractor=Proposing({1: [{"attribute": "city", "reach": "global"}]}))
        taken(held, document(tmp_path / "log", [dialogue("a", ["I live in Rome now.", "Nice."])]))
        yield held


def read(memory: Memory, **proposal: object) -> list[tuple[str, str]]:
    """Read the log with a given proposal; the verdicts."""
    talk = memory.conversation(user="me", id="chatgpt/a")
    talk.reflect(extractor=Proposing({1: [{"attribute": "city", **proposal}]}))
    return [(verdict.action, verdict.rule) for verdict in talk.verdicts()]


def current(memory: Memory) -> list[str]:
    return [row.text for row in memory.conversation(user="me", id="chatgpt/a").visible()
            if row.superseded_by is None]  # fmt: skip


def test_an_old_correction_waits_for_a_person(memory: Memory) -> None:
    """Both statements stand: a repetition is visible, an overwritten memory is lost."""
    assert [("review", "undecided-conflict")] == read(memory, op="correct", targets=(1,))
    assert ["I live in Oslo.", "I live in Rome now."] == current(memory)


def test_an_old_request_to_forget_takes_nothing_newer(memory: Memory) -> None:
    """It waits; the user may have said it again since."""
    assert [("review", "ambiguous-forget")] == read(memory, op="forget", targets=(1,))
    assert ["I live in Oslo."] == current(memory)


def test_a_correction_of_what_is_older_still_replaces(tmp_path: Path) -> None:
    """Within the log the words keep their order."""
    said = ["I live in Rome.", "Ok.", "I live in Bonn now.", "Ok."]
    with Memory.open(tmp_path / "m.db") as memory:
        taken(memory, document(tmp_path / "log", [dialogue("a", said)]))
        talk = memory.conversation(user="me", id="chatgpt/a")
        talk.reflect(extractor=Proposing({1: [{"attribute": "city"}],
                                          2: [{"attribute": "city", "op": "correct"}]}))  # fmt: skip
        assert ["I live in Bonn now."] == current(memory)
