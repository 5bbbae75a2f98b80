"""An imported file that says what no store could have written is refused whole."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from palimpsest import Budget, Memory, transfer
from palimpsest.errors import InputError
from tests.property.test_isolation import COUNTER

BAD = ("not json", -5, 1 << 62, None)


def _lines(path: Path) -> list[dict[str, Any]]:
    """An export in which every table has a row."""
    with Memory.open(path / "m.db", counter=COUNTER) as memory:
        talk = memory.conversation(user="ana", id="c")
        talk.observe(user="My diet is vegan.", assistant="Good.")
        talk.reflect()
        talk.remember("The hotel is Les Rosiers.", attribute="hotel")
        talk.correct("The hotel is Le Marronnier.", attribute="hotel")
        talk.request("Which hotel?", budget=Budget(window=9_999, answer=0))
        talk.observe(user="My room is 12.", assistant="Good.")
        talk._store.stories.summarize(talk.scope, "A trip.")
        file = io.BytesIO()
        memory.export_to(file)
    return [json.loads(line) for line in file.getvalue().splitlines()]


def _taken(lines: list[dict[str, Any]]) -> Memory | None:
    memory = Memory.open(":memory:", counter=COUNTER)
    body = "\n".join(map(json.dumps, lines)).encode()
    try:
        memory.import_from(io.BytesIO(body), name="file")
    except InputError:
        assert () == memory.users()
        memory.close()
        return None
    return memory


def _used(memory: Memory) -> None:
    """Everything that reads a conversation."""
    talk = memory.conversation(user="ana", id="c")
    reads: list[Callable[[], object]] = [
        talk.turns, talk.visible, talk.verdicts, talk.story, talk.deletions, talk.resolutions,
        talk.counts, talk.reflections, talk.reflect, talk.storage, memory.index_status,
    ]  # fmt: skip
    for read in reads:
        read()
    for kept in talk.requests():
        talk.ledger(kept.id)
    for strategy in ("seats", "managed", "recent"):
        talk.request("Which?", budget=Budget(window=99_999, answer=0), strategy=strategy)


def test_a_file_with_one_bad_value_is_refused_or_can_be_used(tmp_path: Path) -> None:
    """Every column of every table, with every kind of wrong value: no later call fails."""
    lines = _lines(tmp_path)
    used, refused = 0, 0
    tried = set()
    for number, record in enumerate(lines[1:], 1):
        for column in set(record) - {"table", "user", "conversation", "name"}:
            if (record["table"], column) in tried:
                continue
            tried.add((record["table"], column))
            for bad in BAD:
                memory = _taken([*lines[:number], {**record, column: bad}, *lines[number + 1 :]])
                if memory is None:
                    refused += 1
                    continue
                with memory:
                    _used(memory)
                used += 1

    assert len(tried) > 40
    assert used
    assert refused


@pytest.mark.parametrize("messages", ["Kestrel", "[]", '["x"]', '{"a": 1}'])
def test_a_turn_that_is_none_is_refused_without_its_text(tmp_path: Path, messages: str) -> None:
    """The error names the conversation and the kind, and not what the file says."""
    lines = _lines(tmp_path)
    at = next(n for n, line in enumerate(lines) if line.get("table") == "turns")
    lines[at]["messages"] = messages
    file = io.BytesIO("\n".join(map(json.dumps, lines)).encode())
    with (
        Memory.open(":memory:", counter=COUNTER) as memory,
        pytest.raises(InputError, match="conversation 'c' of user 'ana'") as told,
    ):
        memory.import_from(file, name="file")

    assert messages not in str(told.value)


def test_a_line_without_an_end_is_not_read_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of one long line takes the memory of a line, and is refused."""
    monkeypatch.setattr(transfer, "_LONGEST", 1_000)
    with (
        Memory.open(":memory:", counter=COUNTER) as memory,
        pytest.raises(InputError, match="file:1: is over 1,000 bytes"),
    ):
        memory.import_from(io.BytesIO(b" " * 5_000), name="file")


def test_a_span_in_what_a_call_carries_is_one_of_the_store(tmp_path: Path) -> None:
    """A replaced value is redacted in the arguments of a tool call too, and moves with it."""
    call = {
        "id": "c1", "type": "function",
        "function": {"name": "book", "arguments": json.dumps({"hotel": "Les Rosiers"})},
    }  # fmt: skip
    with Memory.open(tmp_path / "m.db", counter=COUNTER) as memory:
        talk = memory.conversation(user="ana", id="c")
        talk.append(user="My hotel is Les Rosiers.", assistant="Good.")
        talk.remember("My hotel is Les Rosiers.", attribute="hotel", value="Les Rosiers")
        talk.append(
            messages=[
                {"role": "user", "content": "Book it."},
                {"role": "assistant", "content": None, "tool_calls": [call]},
                {"role": "tool", "tool_call_id": "c1", "content": "Booked: Les Rosiers."},
                {"role": "assistant", "content": "Done."},
            ]
        )
        talk.correct("My hotel is Le Marronnier.", attribute="hotel", value="Le Marronnier")
        spans = talk._store.redactions.of(talk.scope, 2)
        memory.export(tmp_path / "moved.jsonl")
    with Memory.open(tmp_path / "other.db", counter=COUNTER) as other:
        other.import_file(tmp_path / "moved.jsonl")
        moved = other.conversation(user="ana", id="c")
        assert {1, 2} == {each.message for each in spans}
        assert spans == moved._store.redactions.of(moved.scope, 2)
