"""The 24 published requests count exactly, each in every way that the program counts."""

import io
import json
from pathlib import Path

import pytest

from palimpsest import messages
from palimpsest.cli import run
from palimpsest.tokens.counter import TokenCounter
from palimpsest.tokens.local import LocalTokenizer


@pytest.mark.parametrize("row", range(24))
def test_a_published_request_counts_exactly(
    gemma: LocalTokenizer, published: Path, row: int
) -> None:
    """Whole render and sum of units both give the published number."""
    rows = json.loads((published / "token-counts.json").read_text())
    assert 24 == len(rows)
    chat = messages.messages(rows[row]["messages"])
    assert rows[row]["tokens"] == gemma.count_request(chat, ())
    assert rows[row]["tokens"] == TokenCounter(gemma).request(chat, ())


def test_the_command_prints_a_published_count(
    gemma: LocalTokenizer, published: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """``palimpsest count -`` prints the number alone."""
    row = json.loads((published / "token-counts.json").read_text())[0]
    text = json.dumps(row["messages"]).encode()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text)))
    assert 0 == run(["count", "-"])
    assert f"{row['tokens']}\n" == capsys.readouterr().out
