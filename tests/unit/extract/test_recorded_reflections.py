"""The real reflections of SmolLM2 are replayed, whatever they are worth."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from palimpsest.bench.generated import talk
from palimpsest.cli import run
from tests.conftest import REPOSITORY

RECORDINGS = REPOSITORY / "benchmarks" / "reflections"


def replayed(suite: str, extractor: str, target: Path) -> dict[str, Any]:
    """What the gap report says of one extractor on one suite."""
    assert 0 == run(
        ["bench", "gap", suite, "--only", "--extractor", extractor, "--json", str(target)]
    )
    text = target.read_text(encoding="utf-8")
    assert "holds no answer" not in text
    ((found,),) = (suite["extractors"].values() for suite in json.loads(text)["suites"].values())
    return dict(found)


def test_the_recorded_readings_give_the_figures_that_were_measured(tmp_path: Path) -> None:
    """50 calls under the first wording, each answered out of the file; 3 of 26 facts."""
    recording = RECORDINGS / "travel-50.smollm2.jsonl"
    extractor = f"llm(model='replayed:{recording}', version='reflection-v1')"
    fed = replayed("travel-50", extractor, tmp_path / "gap.json")
    assert {"found": 3, "required": 26, "stale": 0, "deleted": 0} == fed["totals"]["managed"]


def test_the_recorded_readings_of_a_generated_chat_give_their_figures(tmp_path: Path) -> None:
    """46 turns of the held-out family under the second wording; most were read in vain."""
    suite = tmp_path / "generated-en-61.json"
    made = talk(seed=61, languages=["en"], family="second")
    suite.write_text(json.dumps(made, ensure_ascii=False), encoding="utf-8")
    recording = RECORDINGS / "generated-en-61.smollm2.jsonl"
    fed = replayed(
        str(suite),
        f"llm(model='replayed:{recording}', version='reflection-v2')",
        tmp_path / "gap.json",
    )
    assert {"found": 21, "required": 32, "stale": 0, "deleted": 1} == fed["totals"]["managed"]
    assert {
        "turns": 46, "failed": 20, "calls": 46, "prompt_tokens": 26_224, "answer_tokens": 8_098,
    } == fed["readings"]  # fmt: skip
    assert {"add": 7, "merge": 5, "reject": 85, "review": 2} == fed["verdicts"]
    assert (6, 5) == (fed["rows"]["current"], fed["rows"]["unasked"])
