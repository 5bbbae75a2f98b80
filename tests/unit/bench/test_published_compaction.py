"""The published compaction: both printed requests, their counts, and the printed notes block."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from palimpsest import Compaction, Config, compact, messages
from palimpsest import config as settings
from palimpsest.bench import probes
from palimpsest.protocols import Tokenizer


@pytest.fixture(scope="module")
def theirs(published: Path) -> dict[str, Any]:
    text = (published / "context-compaction" / "result.json").read_text("utf-8")
    data: dict[str, Any] = json.loads(text)
    return data


@pytest.fixture(scope="module")
def profile(published: Path) -> Config:
    return settings.load(published / "context-compaction" / "profile.toml")


def rebuilt(theirs: dict[str, Any]) -> dict[str, Any]:
    """A conversation that says what is printed: the notes in their turns, and the kept turn.

    What the other sentences were was not printed; here they hold no cue, and turn 7 is long.
    """
    said: dict[int, list[str]] = {}
    for note in theirs["compacted"]["notes"]:
        assert "user" == note["role"]
        said.setdefault(note["turn"], []).append(note["text"])
    kept = theirs["drop_oldest"]["messages"]
    turns = [
        {"user": " ".join(said.get(n, ["We look at it."])), "assistant": "Fine."}
        for n in range(1, 7)
    ]
    turns.append({"user": "one more line of the log\n" * 200, "assistant": "Read."})
    turns.append({"user": kept[1]["content"], "assistant": kept[2]["content"]})
    return {
        "instructions": kept[0]["content"], "current": kept[-1]["content"], "history": turns,
        "context_limit": 512, "max_new_tokens": 128, "margin": 32, "notes_reserve": 160,
    }  # fmt: skip


@pytest.mark.parametrize(("policy", "tokens"), [("compacted", 197), ("drop_oldest", 71)])
def test_the_printed_requests_count_as_printed(
    theirs: dict[str, Any], gemma: Tokenizer, policy: str, tokens: int
) -> None:
    """197 and 71 tokens, to the token."""
    sent = messages.messages(theirs[policy]["messages"])
    assert tokens == theirs[policy]["input_tokens"] == gemma.count_request(sent, ())


@pytest.mark.parametrize(
    ("policy", "extractor"), [("compacted", "cues"), ("drop_oldest", "drop-oldest")]
)
def test_the_printed_request_is_built_from_the_printed_notes(
    theirs: dict[str, Any], profile: Config, gemma: Tokenizer, policy: str, extractor: str
) -> None:
    """Under the published frame every message, the notes block with it, is the printed one."""
    found = compact(rebuilt(theirs), extractor=extractor, tokenizer=gemma, config=profile)
    assert theirs[policy]["messages"] == found.messages
    assert_keys(theirs[policy], found)
    notes = [{"turn": n.turn, "role": n.role, "text": n.text} for n in found.notes]
    assert theirs[policy]["notes"] == notes


def assert_keys(theirs: dict[str, Any], found: Compaction) -> None:
    for key in ("input_tokens", "input_budget", "remaining_tokens", "kept_turns", "removed_turns"):
        assert theirs[key] == getattr(found, key)


@pytest.mark.parametrize("policy", ["compacted", "drop_oldest"])
def test_the_printed_probes_have_their_printed_outcomes(
    theirs: dict[str, Any], published: Path, policy: str
) -> None:
    """Nine probes over each printed request."""
    asked = json.loads((published / "context-compaction" / "probes.json").read_text("utf-8"))
    sent = messages.messages(theirs[policy]["messages"])
    found = probes.report(sent, probes.read(asked))
    assert theirs[policy]["probes"] == [
        {"id": o.probe.id, "kind": o.probe.kind, "status": o.status} for o in found
    ]
    assert theirs[policy]["probe_totals"] == probes.totals(found)


def test_the_published_cue_words_find_the_printed_notes_and_no_more(
    theirs: dict[str, Any], profile: Config, gemma: Tokenizer
) -> None:
    """One cue word less loses its note: the block follows from the rule, not from the test."""
    data = rebuilt(theirs)
    data["history"][0]["user"] = data["history"][0]["user"].replace("must keep", "keep")
    found = compact(data, tokenizer=gemma, config=profile)
    assert [2, 3, 5, 6] == [note.turn for note in found.notes]
