"""compaction-8: the published facts and totals in our own words, and both extractors beside."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path
from typing import Any

import pytest

from palimpsest import Config
from palimpsest import config as settings
from palimpsest.bench import compaction_suite, probes
from palimpsest.bench.compaction import Comparison, compare, report
from palimpsest.config import NotesSettings
from palimpsest.context.compaction_request import read
from palimpsest.context.cues import cue_pattern
from palimpsest.protocols import Tokenizer
from palimpsest.tokens.counter import TokenCounter


def compared(gemma: Tokenizer, base: Config | None = None, extractor: str = "cues") -> Comparison:
    request = read(compaction_suite.load("request"))
    return compare(
        request, probes.read(compaction_suite.load("probes")), name="compaction-8",
        extractor=extractor, counter=TokenCounter(gemma), config=request.settings(base or Config()),
    )  # fmt: skip


@pytest.fixture(scope="module")
def data(gemma: Tokenizer) -> dict[str, Any]:
    return report(compared(gemma))


@pytest.mark.parametrize("part", compaction_suite.GENERATORS)
def test_a_stored_file_equals_its_generator(part: str) -> None:
    """It is changed in its generator, and `make goldens` stores it."""
    assert compaction_suite.generated(part) == compaction_suite.stored(part)


def test_the_totals_are_the_published_ones(data: dict[str, Any], published: Path) -> None:
    """Eight turns and nine probes: 5, 3 and 1 with cue-word notes; 1, 7 and 1 without notes."""
    theirs = json.loads((published / "context-compaction" / "result.json").read_text("utf-8"))
    for policy in ("compacted", "drop_oldest"):
        assert theirs[policy]["probe_totals"] == data[policy]["probe_totals"]
        rows = [(p["id"], p["kind"], p["status"]) for p in data[policy]["probes"]]
        assert [(p["id"], p["kind"], p["status"]) for p in theirs[policy]["probes"]] == rows
        for key in ("input_budget", "kept_turns", "removed_turns", "dropped_notes"):
            assert theirs[policy][key] == data[policy][key]
    assert {"preserved": 5, "lost": 3, "stale": 1} == data["compacted"]["probe_totals"]
    assert {"preserved": 1, "lost": 7, "absent": 1} == data["drop_oldest"]["probe_totals"]


def test_the_totals_do_not_hang_on_our_settings(gemma: Tokenizer, published: Path) -> None:
    """Under the published frame, cues and roles they are the same."""
    profile = settings.load(published / "context-compaction" / "profile.toml")
    found = report(compared(gemma, profile))
    assert {"preserved": 5, "lost": 3, "stale": 1} == found["compacted"]["probe_totals"]
    assert {"preserved": 1, "lost": 7, "absent": 1} == found["drop_oldest"]["probe_totals"]


@pytest.mark.parametrize("roles", [("user",), ("user", "assistant")])
def test_statements_lose_fewer_and_leave_none_stale(
    gemma: Tokenizer, roles: tuple[Any, ...]
) -> None:
    """Both extractors stand side by side in one report."""
    config = Config(notes=NotesSettings(roles=roles))
    found = report(compared(gemma, config))
    assert {"statements"} == set(found["beside"])
    assert {"preserved": 8, "absent": 1} == found["beside"]["statements"]["probe_totals"]
    other = report(compared(gemma, config, "statements"))
    assert found["compacted"] == other["beside"]["cues"]
    assert found["beside"]["statements"] == other["compacted"]


def test_nothing_in_the_totals_comes_from_paraphrases(data: dict[str, Any]) -> None:
    """No fact of the suite is said in other words by what the extractors quote."""
    for column in (data["compacted"], data["drop_oldest"], *data["beside"].values()):
        assert {"totals": {}, "review": []} == column["paraphrase"]


def test_a_paraphrase_is_listed_for_review_and_counted_nowhere_else(gemma: Tokenizer) -> None:
    """Fact, sentence, carriers and words stand beside each other, marked."""
    request = read({**compaction_suite.load("request"), "history": [
        {"user": "A history of 400 days must be kept.", "assistant": "Ok."},
        {"user": "word " * 400, "assistant": "Ok."}]})  # fmt: skip
    asked = probes.read([{"id": "a", "kind": "detail", "fact": "keep 400 days of history"}])
    found = report(compare(
        request, asked, name="r", extractor="cues", counter=TokenCounter(gemma),
        config=request.settings(Config())))  # fmt: skip
    column = found["compacted"]
    assert {"lost": 1} == column["probe_totals"]
    assert {"preserved": 1} == column["paraphrase"]["totals"]
    (item,) = column["paraphrase"]["review"]
    assert ("paraphrase", "preserved", "A history of 400 days must be kept.") == (
        item["matcher"], item["status"], item["sentence"],
    )  # fmt: skip
    assert [] == column["probes"][0]["said_in"]


def test_the_facts_and_kinds_are_the_published_ones(published: Path) -> None:
    """The same ids, kinds and successor, in other words."""
    theirs = json.loads((published / "context-compaction" / "probes.json").read_text("utf-8"))
    ours = compaction_suite.load("probes")
    keys = ("id", "kind", "superseded_by")
    assert [[p.get(k) for k in keys] for p in theirs] == [[p.get(k) for k in keys] for p in ours]


def test_the_suite_is_written_in_our_own_sentences(shared: Path) -> None:
    """No sentence of it stands in the published document."""
    text = (shared / "documents" / "context-compaction.txt").read_text("utf-8")
    request = compaction_suite.load("request")
    said = [turn[role] for turn in request["history"] for role in ("user", "assistant")]
    said += [request["instructions"], request["current"]]
    ours = {s for item in said for s in re.split(r"(?<=[.!?])\s", item) if len(s) > 9}
    assert [] == [sentence for sentence in ours if sentence in text]


def test_the_story_is_the_published_one() -> None:
    """No cue where a fact must be lost, one where the replaced decision must stay, one log."""
    request = read(compaction_suite.load("request"))
    found = {probe.id: probe for probe in probes.read(compaction_suite.load("probes"))}
    turns = {id: probes.said_in(probe, request.history) for id, probe in found.items()}
    assert (8, 9) == (len(request.history), len(found))
    assert [(1,), (5,), (2,), (5,), (3,), (4,), (6,), (4,), (8,)] == list(turns.values())
    cue = cue_pattern(Config().notes.cues)
    assert cue is not None
    assert [1, 2, 3, 5, 6] == [t.number for t in request.history if cue.search(t.user)]
    assert 7 == max(request.history, key=lambda turn: len(turn.user)).number


def test_no_run_is_changed_by_what_it_is_compared_with(gemma: Tokenizer) -> None:
    """A column is the same alone and beside others."""
    whole = compared(gemma)
    alone = compare(
        whole.request, (), name="x", extractor="cues", counter=TokenCounter(gemma),
        config=whole.config,
    )  # fmt: skip
    assert {"cues", "drop-oldest"} == set(alone.columns)
    for key, column in alone.columns.items():
        assert column.compaction == whole.columns[key].compaction
        assert dataclasses.replace(whole.columns[key], outcomes=()) == column
