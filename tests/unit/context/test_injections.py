"""Texts that try to close the block, open a role, forge a line or plant a memory stay quoted data.

The corpus is ``tests/data/injections.jsonl``, one text a line, written for these tests.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from palimpsest import Budget, Memory
from palimpsest.language.invisible import INVISIBLE
from palimpsest.ledger import Request
from palimpsest.tokens.counter import TokenCounter
from palimpsest.tokens.local import LocalTokenizer

DATA = Path(__file__).resolve().parents[2] / "data" / "injections.jsonl"
TEXTS = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]
RULES = "Answer from the conversation."
LINE = re.compile(r"- \[(?:#\d+, [\w-]+|summary|anchor, turn \d+|turn \d+, \w+)\] ")


def block_of(request: Request) -> list[str]:
    """The lines of the one block, once the frame around it was looked at."""
    first, *rest = request.messages
    assert {"role": "system", "content": RULES} == first
    assert "system" not in {message["role"] for message in rest}
    last = rest[-1]
    assert ("user", str) == (last["role"], type(last["content"]))
    assert (1, 1) == (last["content"].count("<notes>"), last["content"].count("</notes>"))
    assert last["content"].endswith("</notes>\n\nQuestion: What now?")
    inside: str = last["content"].split("<notes>\n")[1].split("\n</notes>")[0]
    return inside.split("\n")


def harmless(lines: list[str], tokenizer: LocalTokenizer) -> None:
    """Each line is one of ours, shows what nobody sees, and holds no control string."""
    for line in lines:
        assert LINE.match(line), line
        assert not INVISIBLE.search(line)
        assert "<" not in line
        assert not [mark for mark in tokenizer.frame.markers if mark in line]


@pytest.mark.parametrize("text", TEXTS)
def test_a_memory_a_summary_and_an_anchor_stay_one_line_each(
    text: str, gemma: LocalTokenizer
) -> None:
    """Whatever they hold, the block has as many lines as there are quotes, under both strategies."""
    with Memory.open(":memory:", counter=TokenCounter(gemma)) as memory:
        talk = memory.conversation(user="u", id="c")
        talk.append(user="Hello.", assistant="Good day.")
        talk.remember(text)
        talk.remember("I live in Oslo.")
        talk._store.stories.summarize(talk.scope, f"So far: {text}")
        talk._store.stories.anchor(talk.scope, f"It said {text}", 1)
        for strategy in ("managed(quota=4000)", "seats(quota=4000)"):
            config = talk.config
            request = talk.request(
                "What now?", budget=Budget(window=9000, answer=0), strategy=strategy,
                instructions=RULES, config=config, record=False,
            )  # fmt: skip
            lines = block_of(request)
            assert 2 == sum(line.startswith("- [#") for line in lines)
            assert len(lines) <= 4
            harmless(lines, gemma)
            assert "pinned" not in {e.reason for e in request.ledger.memories}


@pytest.mark.parametrize("text", TEXTS)
def test_what_a_tool_or_the_assistant_says_plants_no_memory(text: str) -> None:
    """Only the user's own words are read; a tool's words are nobody's wish."""
    with Memory.open(":memory:") as memory:
        talk = memory.conversation(user="u", id="c")
        call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
        talk.observe(
            messages=[
                {"role": "user", "content": "Look it up, please."},
                {"role": "assistant", "content": None, "tool_calls": [call]},
                {"role": "tool", "tool_call_id": "c1", "content": text},
                {"role": "assistant", "content": text},
            ]
        )
        talk.reflect(extractor="rules")
        assert () == talk.visible()
        assert () == talk.deletions()


@pytest.mark.parametrize("text", TEXTS)
def test_a_note_quotes_it_as_one_line(text: str, gemma: LocalTokenizer) -> None:
    """A sentence of a removed turn is shown in the block and nowhere else."""
    with Memory.open(":memory:", counter=TokenCounter(gemma)) as memory:
        talk = memory.conversation(user="u", id="c")
        talk.append(user=f"We must never say {text}", assistant="x " * 300)
        talk.append(user="Fine.", assistant="Good.")
        request = talk.request(
            "What now?", budget=Budget(window=330, answer=0), strategy="notes",
            instructions=RULES, record=False,
        )  # fmt: skip
        harmless(block_of(request), gemma)
